// What the search knows of written Spanish, as tables: abbreviations, words that say nothing, and spelling by ear.
//
// All words are folded: small letters without accents, so ñ is n. To teach the search an abbreviation is to add a line here.

/**
 * What an abbreviation may stand for. Points do not matter, since they are no letters: "Sta.Ma." is two words. The table is
 * read both ways: a name that is stored short is found by the long form too.
 */
const ABBREVIATIONS: Readonly<Record<string, readonly string[]>> = {
  // saints and given names
  sn: ['san'],
  s: ['san', 'santa', 'santo'],
  sta: ['santa'],
  sto: ['santo'],
  stos: ['santos'],
  stgo: ['santiago'],
  sgo: ['santiago'],
  ma: ['maria'],
  ant: ['antonio'],
  anto: ['antonio'],
  bmo: ['bartolome'],
  dgo: ['domingo'],
  fco: ['francisco'],
  fca: ['francisca'],
  fdo: ['fernando'],
  gpe: ['guadalupe'],
  gdpe: ['guadalupe'],
  igno: ['ignacio'],
  jn: ['juan'],
  jse: ['jose'],
  mgl: ['miguel'],
  nic: ['nicolas'],
  ntra: ['nuestra'],
  ntro: ['nuestro'],
  sra: ['senora'],
  sr: ['senor'],
  vte: ['vicente'],
  xavier: ['javier'],
  // family names and heroes
  fdez: ['fernandez'],
  glez: ['gonzalez'],
  gzz: ['gonzalez'],
  hdez: ['hernandez'],
  hgo: ['hidalgo'],
  jmz: ['jimenez'],
  lpz: ['lopez'],
  mtz: ['martinez'],
  mor: ['morelos'],
  rdz: ['rodriguez'],
  rmz: ['ramirez'],
  // titles and ranks
  arq: ['arquitecto'],
  cap: ['capitan'],
  cmte: ['comandante'],
  cnel: ['coronel'],
  cor: ['coronel'],
  dip: ['diputado'],
  dr: ['doctor'],
  dra: ['doctora'],
  gdor: ['gobernador'],
  gob: ['gobernador'],
  gral: ['general'],
  hnos: ['hermanos'],
  ing: ['ingeniero'],
  lic: ['licenciado'],
  mtro: ['maestro'],
  mtra: ['maestra'],
  pbro: ['presbitero'],
  pdte: ['presidente'],
  pres: ['presidente'],
  prof: ['profesor'],
  profa: ['profesora'],
  profr: ['profesor'],
  tte: ['teniente'],
  // kinds of places
  av: ['avenida'],
  bo: ['barrio'],
  cd: ['ciudad'],
  cjon: ['callejon'],
  col: ['colonia'],
  cong: ['congregacion'],
  conj: ['conjunto'],
  cto: ['circuito'],
  ej: ['ejido'],
  ejdo: ['ejido'],
  est: ['estacion'],
  estcn: ['estacion'],
  frac: ['fraccionamiento'],
  fracc: ['fraccionamiento'],
  fracto: ['fraccionamiento'],
  gja: ['granja'],
  hcda: ['hacienda'],
  hda: ['hacienda'],
  inf: ['infonavit'],
  km: ['kilometro'],
  mte: ['monte'],
  pblo: ['pueblo'],
  pob: ['poblado'],
  pta: ['punta', 'puerta'],
  pte: ['poniente', 'puente', 'presidente'],
  pto: ['puerto'],
  pza: ['plaza'],
  rch: ['rancho'],
  rcho: ['rancho'],
  rncho: ['rancho'],
  ria: ['rancheria'],
  rcheria: ['rancheria'],
  rva: ['ribera', 'reserva'],
  sec: ['seccion'],
  secc: ['seccion'],
  ud: ['unidad'],
  uhab: ['unidad'],
  vda: ['vereda'],
  vla: ['villa'],
  zn: ['zona'],
  // directions and sizes
  nte: ['norte'],
  ote: ['oriente'],
  cent: ['central'],
  ctro: ['centro'],
  gde: ['grande'],
  ind: ['industrial'],
  inst: ['instituto'],
  nva: ['nueva'],
  nvas: ['nuevas'],
  nvo: ['nuevo'],
  nvos: ['nuevos'],
  amp: ['ampliacion'],
  ampl: ['ampliacion'],
  res: ['residencial'],
  resid: ['residencial'],
  // ordinals
  '1a': ['primera'],
  '1o': ['primero'],
  '1ra': ['primera'],
  '1ro': ['primero'],
  '2a': ['segunda'],
  '2da': ['segunda'],
  '2do': ['segundo'],
  '2o': ['segundo'],
  '3a': ['tercera'],
  '3ra': ['tercera'],
  '3ro': ['tercero'],
  // countries, sciences
  dem: ['democratica'],
  ee: ['estados'],
  rep: ['republica'],
  uu: ['unidos'],
  cs: ['ciencias'],
  tec: ['tecnologia'],
  // administrative words
  deleg: ['delegacion'],
  edo: ['estado'],
  loc: ['localidad'],
  mex: ['mexico'],
  mpio: ['municipio'],
  mun: ['municipio'],
}

/** Words that say what a place is and not which: dropped first where a record does not have them. */
const NOISE = new Set(
  (
    'municipio mpio mun localidad loc colonia col estado edo entidad federativa pais ciudad cd poblado pob pueblo ' +
    'comunidad congregacion delegacion alcaldia rancheria rancho rcho ejido ej fraccionamiento fracc barrio bo calle ' +
    'avenida av numero num no cp codigo postal provincia area campo disciplina subdisciplina'
  ).split(' '),
)

/** Words that join others. */
const LINKING = new Set('a al con d de del e el en la las los of sobre the y'.split(' '))

/**
 * How a word sounds, so that words that sound alike have the same key: each rule is applied to the result of the one before.
 * A word with x has two sounds, as in México and in Xochimilco.
 */
const SOUND_RULES: readonly (readonly [RegExp, string])[] = [
  [/ph/g, 'f'],
  [/^ps/, 's'],
  [/tz/g, 's'],
  [/sh/g, 's'],
  [/ch/g, '#'],
  [/^h?ie/, 'ye'],
  [/gu(?=[ei])/g, 'g~'],
  [/(?:hu(?=[aeio])|gu(?=a)|^o(?=a))/g, 'w'],
  [/qu(?=[ei])/g, 'k'],
  [/q/g, 'k'],
  [/sc(?=[ei])/g, 's'],
  [/cc(?=[ei])/g, 's'],
  [/c(?=[ei])/g, 's'],
  [/g(?=[ei])/g, 'j'],
  [/ck|c/g, 'k'],
  [/z/g, 's'],
  [/v/g, 'b'],
  [/n(?=[bpm])/g, 'm'],
  [/ll/g, 'y'],
  [/y$/, 'i'],
  [/h/g, ''],
  [/~/g, ''],
  [/(.)\1+/g, '$1'],
]

const longForms = new Map(Object.entries(ABBREVIATIONS))
const shortForms = new Map<string, string[]>()
for (const [short, longs] of longForms)
  for (const long of longs) shortForms.set(long, [...(shortForms.get(long) ?? []), short])

/** What an abbreviation stands for, or may stand for; of any other word nothing. */
export const longFormsOf = (word: string): readonly string[] => longForms.get(word) ?? []

/** The other forms of a word: what it abbreviates, what abbreviates it, and other abbreviations of the same. */
export function otherForms(word: string): readonly string[] {
  const longs = longForms.get(word)
  const shorts = shortForms.get(word)
  if (longs === undefined && shorts === undefined) return []
  const forms = new Set([
    ...(longs ?? []),
    ...(shorts ?? []),
    ...(longs ?? []).flatMap((long) => shortForms.get(long) ?? []),
  ])
  forms.delete(word)
  return [...forms]
}

export const isNoise = (word: string): boolean => NOISE.has(word)
export const isLinking = (word: string): boolean => LINKING.has(word)

/** The keys of how a word may sound. */
export function soundsOf(word: string): readonly string[] {
  if (!word.includes('x')) return [soundOf(word)]
  return [soundOf(word.replaceAll('x', 's')), soundOf(word.replaceAll('x', 'j'))]
}

const soundOf = (word: string): string => SOUND_RULES.reduce((sound, [from, to]) => sound.replace(from, to), word)
