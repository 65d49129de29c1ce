/** Owns the corrections of the bundled data: what the packages have wrong, what is right, and the reason. */

export interface Correction {
  readonly code: string
  readonly value: string
  readonly reason: string
}

type Entries = readonly (readonly [code: string, value: string])[]

const because = (reason: string, entries: Entries): readonly Correction[] =>
  entries.map(([code, value]) => ({ code, value, reason }))

/** By alpha-3 code, the name. */
export const countryNames: readonly Correction[] = [
  ...because('the name in use in Mexico; CLDR has it only as a variant or short form', [
    ['CIV', 'Costa de Marfil'],
    ['HKG', 'Hong Kong'],
    ['MAC', 'Macao'],
  ]),
  ...because('the name in full; CLDR abbreviates Estados Unidos', [
    ['UMI', 'Islas Ultramarinas Menores de los Estados Unidos'],
    ['VIR', 'Islas Vírgenes de los Estados Unidos'],
  ]),
]

/** By state and municipality code, the name. In this order they take the numbers after the last one of GeoNames. */
export const addedMunicipios: readonly Correction[] = because(
  "a new municipality, in INEGI's catalog of October 2025 and not yet in GeoNames",
  [
    ['12082', 'Las Vigas'],
    ['12083', 'Ñuu Savi'],
    ['12084', 'Santa Cruz del Rincón'],
    ['12085', 'San Nicolás'],
    ['24059', 'Villa de Pozos'],
    ['25019', 'Eldorado'],
    ['25020', 'Juan José Ríos'],
  ],
)

/** By state and municipality code, the name. */
export const municipioNames: readonly Correction[] = [
  ...because("the name in INEGI's catalog of October 2025", [
    ['07017', 'Cintalapa de Figueroa'],
    ['07019', 'Comitán de Domínguez'],
    ['07078', 'San Cristóbal de las Casas'],
    ['08008', 'Batopilas de Manuel Gómez Morín'],
    ['08056', 'Valle del Rosario'],
    ['09008', 'La Magdalena Contreras'],
    ['11032', 'San José de Iturbide'],
    ['12006', 'Apaxtla de Castrejón'],
    ['15002', 'Acolman'],
    ['15020', 'Coacalco de Berriozábal'],
    ['15058', 'Nezahualcóyotl'],
    ['17013', 'Jonacatepec de Leandro Valle'],
    ['17032', 'Zacualpan de Amilpas'],
    ['20038', 'Villa Hidalgo Yalálag'],
    ['20124', 'Heroica Villa de San Blas Atempa'],
    ['20238', 'Heroico San Martín de los Cansecos'],
    ['20334', 'Villa de Tututepec'],
    ['20459', 'Villa de Santiago Chazumba'],
    ['23008', 'Playa del Carmen'],
    ['24001', 'Ahualulco del Sonido 13'],
    ['30105', 'Medellín de Bravo'],
  ]),
  ...because("the accents of INEGI's catalog of October 2025", [
    ['15115', 'Xonacatlán'],
    ['21173', 'Teteles de Ávila Castillo'],
    ['26003', 'Álamos'],
    ['26044', 'Ónavas'],
    ['31025', 'Dzan'],
    ['31094', 'Tixméhuac'],
  ]),
]

/** By GeoNames' feature code: places of these kinds are no localities. */
export const leftOutFeatures: readonly Correction[] = [
  { code: 'PPLX', value: 'section of a city', reason: 'a part of a locality that has its own row' },
  { code: 'PPLQ', value: 'abandoned place', reason: 'nobody lives there' },
]

/** By geonameid, the name that the row has: it is left out. */
export const leftOutLocalidades: readonly Correction[] = because('"Ninguno" says that the place has no name', [
  ['8858555', 'Ninguno [Centro de Readaptación Social de Atlacholoaya]'],
  ['8858719', 'Ninguno [CERESO]'],
  ['8859026', 'Ninguno [CERESO]'],
  ['8860747', 'Ninguno'],
  ['8862625', 'Ninguno [Granja]'],
])

/** By geonameid, the state and municipality code where the locality belongs. It takes the next free number there. */
export const movedLocalidades: readonly Correction[] = because('GeoNames has the two neighbouring cities swapped', [
  ['3815415', '29033'],
  ['3517742', '29010'],
])

/** By geonameid, the name that the row has: it is left out. */
export const misfiledLocalidades: readonly Correction[] = because(
  'another source has this name within 4 km in another municipality, and the place lies nearer to the seat of another',
  [
    ['3515906', 'Tepatlaxco de Hidalgo'],
    ['3516472', 'Sunuapa'],
    ['3517264', 'Santa María Cortijo'],
    ['3517268', 'Santa María Nativitas Coatlán'],
    ['3517935', 'San Pedro y San Pablo Tequistepec'],
    ['3518140', 'Apetatitlán Antonio Carbajal'],
    ['3518505', 'Plan de San Luis'],
    ['3518830', 'San José Piedra Gorda'],
    ['3519410', 'Villa Mariano Matamoros'],
    ['3519979', 'San Agustín Etla'],
    ['3520013', 'Salvador Urbina'],
    ['3520405', 'Reforma'],
    ['3522338', 'Omitlán'],
    ['3523210', 'Miguel Hidalgo y Costilla'],
    ['3527089', 'Holactun'],
    ['3530461', 'Cohuecán'],
    ['3531263', 'Chacalapa de Bravos'],
    ['3531708', 'Cañada Blanca'],
    ['3532465', 'Bacalar'],
    ['3532590', 'Atlixtac'],
    ['3800806', 'San Miguel Copala'],
    ['3801645', 'Santa Rita (Santa Rita del Mar)'],
    ['3801766', 'Barra de la Cruz'],
    ['3813412', 'Xocotitla'],
    ['3815078', 'Vicente Guerrero'],
    ['3815427', 'San Miguel del Milagro'],
    ['3815428', 'San Miguel Analco'],
    ['3815539', 'Calatraba'],
    ['3821879', 'San Martín'],
    ['3821924', 'Yerba Santa'],
    ['3822151', 'Llano Grande de Juárez'],
    ['3822578', 'Chican'],
    ['3823085', 'Vallehermoso'],
    ['3823087', 'Los Divorciados'],
    ['3823128', 'Altos de Sevilla'],
    ['3823447', 'Huehuetecpan'],
    ['3824641', 'El Porvenir Número Dos'],
    ['3825945', 'El Mirador'],
    ['3826938', 'La Campanilla'],
    ['3826991', 'Ejido del Tunal Nenaxi'],
    ['3971782', 'Tenayuca'],
    ['3978718', 'El Pilar'],
    ['3986595', 'San Jerónimo'],
    ['4003656', 'Kilómetro Noventa y Nueve'],
    ['8674502', 'San Román'],
    ['8674836', 'Maya Balam'],
    ['8674847', 'San Isidro la Laguna'],
    ['8859934', 'Joltealal'],
    ['8859961', 'Las Vivianas'],
    ['8860039', 'Salamanca'],
    ['8860062', 'Plan de Gatica'],
    ['8860412', 'La Pantera'],
    ['8860492', 'Emiliano Zapata'],
    ['8860978', 'El Ocotal'],
    ['8861101', 'Chimalapa'],
    ['8861370', 'Mixtecapa'],
    ['8861403', 'Miguel Alemán'],
    ['8861594', 'La Libertad'],
    ['8861751', 'Ciénega del Sauce'],
    ['8862155', 'Colonia General Heliodoro Castillo (Chicahuales)'],
    ['8862170', 'Frontón Vivero'],
    ['8862589', 'Las Pilas'],
    ['8863037', 'La Reforma'],
    ['8863114', 'El Mirador'],
  ],
)

/** By geonameid, the name. */
export const localidadNames: readonly Correction[] = [
  ...because('the official name of the seat of a municipality, which GeoNames shortens', [
    ['3515001', 'Tuxtla Gutiérrez'],
    ['3515302', 'Toluca de Lerdo'],
    ['3521081', 'Heroica Puebla de Zaragoza'],
    ['3522507', 'Oaxaca de Juárez'],
    ['3530870', 'Chilpancingo de los Bravo'],
    ['3983058', 'Silao de la Victoria'],
    ['4004867', 'Hidalgo del Parral'],
  ]),
  ...because('the official name of the seat of a municipality, which GeoNames writes without its accent', [
    ['3530589', 'Ciudad Nezahualcóyotl'],
  ]),
]

/** By state and municipality code, the geonameid of the seat where the marks and names of GeoNames mislead. */
export const seats: readonly Correction[] = [
  { code: '08052', value: '8858105', reason: 'GeoNames has the town twice; this row lies where the town is' },
  { code: '25008', value: '4002745', reason: 'the seat is La Cruz; the village of Elota only bears the name' },
  {
    code: '28011',
    value: '3483009',
    reason: 'the seat lies in the valley, at Loma Alta; the namesake is in the hills',
  },
]
