/** Owns the countries: the codes of ISO 3166-1 with the Spanish and English names of CLDR. */
import { list, member, readJson, refuse, text } from './package-file.ts'
import { type Table, table } from './table.ts'

// A user-assigned code that the package adds; ISO 3166-1 itself has no entry for Kosovo.
const KOSOVO = 'XK'

/** By alpha-3 code, the name in use in Mexico, where CLDR has another one or abbreviates it. */
export const countryNames: ReadonlyMap<string, string> = new Map([
  ['CIV', 'Costa de Marfil'],
  ['HKG', 'Hong Kong'],
  ['MAC', 'Macao'],
  ['UMI', 'Islas Ultramarinas Menores de los Estados Unidos'],
  ['VIR', 'Islas Vírgenes de los Estados Unidos'],
])

type Names = (alpha2: string) => string | undefined

async function territoryNames(locale: string): Promise<Names> {
  const file = await readJson(`cldr-localenames-full/main/${locale}/territories.json`)
  const path = ['main', locale, 'localeDisplayNames', 'territories']
  const names = path.reduce<unknown>((value, step) => member(value, step, `territories of ${locale}`), file)
  return (alpha2) => {
    const name: unknown = Reflect.get(Object(names), alpha2)
    return name === undefined ? undefined : text(name, `${locale} name of ${alpha2}`)
  }
}

export async function paises(): Promise<Table> {
  const mexican = await territoryNames('es-MX')
  const spanish = await territoryNames('es')
  const english = await territoryNames('en')
  const codes = list(await readJson('i18n-iso-countries/codes.json'), 'codes.json')

  const records = codes.flatMap((entry) => {
    const [alpha2, alpha3, numeric] = list(entry, 'a country').map((code) => text(code, 'a country code'))
    if (alpha2 === KOSOVO) return []
    if (!alpha2 || !alpha3 || !numeric || !/^\d{3}$/.test(numeric)) return refuse(`odd country ${alpha2}`)
    const name = mexican(alpha2) ?? spanish(alpha2) ?? refuse(`no Spanish name for ${alpha2}`)
    const corrected = countryNames.get(alpha3) ?? name
    if (countryNames.has(alpha3) && corrected === name) refuse(`${alpha3} is ${name} already: take out its correction`)
    const nombreEn = (english(alpha2) ?? refuse(`no English name for ${alpha2}`)).normalize('NFC')
    return [{ cvePais: alpha3, descPais: corrected.normalize('NFC'), idPais: Number(numeric), nombreEn }]
  })

  return table(
    'pais.csv',
    ['cvePais', 'descPais', 'idPais', 'nombreEn'],
    records.toSorted((a, b) => a.idPais - b.idPais),
  )
}
