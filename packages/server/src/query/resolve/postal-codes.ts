// Postal codes of Mexico: which state they lie in, which their first two digits tell, and what a cell says without one.
import type { Language } from '../../catalog/languages/language.ts'
import { folded } from '../../catalog/words.ts'

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
  return Object.entries(DIGITS).find(([, [first, last]]) => digits >= first && digits <= last)?.[0]
}

const FIVE_DIGITS_AT_END = /^(.*\S)[\s.:]*(?<![0-9])[0-9]{5}\s*\)?\s*$/
const WORD_AT_END = /^(.*?)[\s,;.:(]*(\p{L}+)[\s.:]*$/u

/** A name without the postal code after it, where words say that it is one: "Ajijic, C.P. 45920". */
export function withoutPostalCode(text: string, { isPostalCode }: Language): string {
  let [, before = ''] = FIVE_DIGITS_AT_END.exec(text) ?? []
  let isTold = false
  for (;;) {
    const [, rest = '', word = ''] = WORD_AT_END.exec(before) ?? []
    if (!isPostalCode(folded(word))) return isTold && before !== '' ? before : text
    before = rest
    isTold = true
  }
}
