// Which states a postal code of Mexico may lie in: its first two digits tell that.

/** The first and the last two digits of each state, by its code: facts of public record. */
const DIGITS: Readonly<Record<string, readonly [first: number, last: number]>> = {
  CDMX: [1, 16],
  AGS: [20, 20],
  BC: [21, 22],
  BCS: [23, 23],
  CAMP: [24, 24],
  COAH: [25, 27],
  COL: [28, 28],
  CHIS: [29, 30],
  CHIH: [31, 33],
  DGO: [34, 35],
  GTO: [36, 38],
  GRO: [39, 41],
  HGO: [42, 43],
  JAL: [44, 49],
  MEX: [50, 57],
  MICH: [58, 61],
  MOR: [62, 62],
  NAY: [63, 63],
  NL: [64, 67],
  OAX: [68, 71],
  PUE: [72, 75],
  QRO: [76, 76],
  QROO: [77, 77],
  SLP: [78, 79],
  SIN: [80, 82],
  SON: [83, 85],
  TAB: [86, 86],
  TAMPS: [87, 89],
  TLAX: [90, 90],
  VER: [91, 96],
  YUC: [97, 97],
  ZAC: [98, 99],
}

const THOUSAND = 1_000

/** The code of the state that a postal code of five digits lies in, or of four after a lost zero. */
export function stateOfPostalCode(postalCode: string): string | undefined {
  const digits = Math.floor(Number(postalCode) / THOUSAND)
  return Object.keys(DIGITS).find((state) => {
    const [first, last] = DIGITS[state] as readonly [number, number]
    return digits >= first && digits <= last
  })
}
