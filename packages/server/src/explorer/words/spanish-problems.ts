// Why a request is refused, in Spanish: the reasons that pages can come to show, from what the problem says.
import type { Problem } from '../../http/problem.ts'

/** Allowed values as the API words them, and in Spanish. A text that matches none of them is a list of names. */
const ALLOWED: readonly (readonly [english: RegExp, spanish: string])[] = [
  [/^a whole number from (\S+) to (\S+)$/, 'un número entero de $1 a $2'],
  [/^a whole number$/, 'un número entero'],
  [/^a number$/, 'un número'],
  [/^a number from (\S+) to (\S+), with a point .*$/, 'un número de $1 a $2, con punto antes de los decimales'],
  [/^a number from (\S+) to (\S+)$/, 'un número de $1 a $2'],
  [/^true, false$/, 'true o false'],
  [/^a date such as (\S+), a month or a year$/, 'una fecha como $1, un mes o un año'],
  [/^text of 1 to (\d+) characters$/, 'un texto de 1 a $1 letras'],
  [/^text in UTF-8, percent-encoded$/, 'un texto en UTF-8, codificado con %'],
  [
    /^one to (\d+) words of letters or digits, in at most (\d+) characters$/,
    'de una a $1 palabras con letras o cifras, en $2 signos a lo más',
  ],
  [/^at most (\d+) (?:fields|values)$/, '$1 a lo más'],
  [/^one value: it may be given only once$/, 'un solo valor: no puede repetirse'],
  [/^a value: to ask for any, leave the parameter out$/, 'algún valor: si da igual cuál, quite el parámetro'],
  [/^no further value: .* at most (\d+)$/, 'ningún valor más: entre todos los filtros puede haber $1'],
  [/^a latitude from .*, as in (\S+)$/, 'una latitud de -90 a 90, una coma y una longitud de -180 a 180, como $1'],
  [/^a distance from near, which must be given too$/, 'una distancia desde near, que también debe darse'],
  [/^the digest of a release, or the first 8 .*$/, 'la huella de una versión, o por lo menos sus primeras 8 cifras'],
  [/^more of the digest: (\d+) begin like this$/, 'más cifras de la huella: hay $1 que empiezan así'],
  [
    /^(?:the key or the official code of )?a record that is there.*$/,
    'el identificador o la clave de un registro que exista',
  ],
  [/^(\S+) alone$/, 'solo $1'],
  [/^(\S+) and (\S+) alone$/, 'solo $1 y $2'],
  [/^no parameter$/, 'ningún parámetro'],
  [/^one of (.+)$/, 'uno de estos: $1'],
  [/^(.+); did you mean (.+)\?$/, '$1; ¿quiso decir $2?'],
]

const NAMES = /^[\p{L}\p{N}._-]+(?:, [\p{L}\p{N}._-]+)*$/u

/** Undefined where there is no Spanish for it. */
function allowedIn(english: string): string | undefined {
  const known = ALLOWED.find(([pattern]) => pattern.test(english))
  if (known !== undefined) return english.replace(...known)
  return NAMES.test(english) ? english : undefined
}

/** The reason of a problem; undefined if only the API has words for it. */
export function spanishReason(problem: Problem): string | undefined {
  switch (problem.kind) {
    case 'bad-parameter': {
      const allowed = allowedIn(problem.allowed)
      return allowed === undefined ? undefined : `Se admite ${allowed}.`
    }
    case 'unknown-parameter': {
      const guess = problem.nearest === undefined ? '' : `¿Quiso decir ${problem.nearest}? `
      return `${guess}${problem.known.length === 0 ? 'No se admite ningún parámetro' : `Se admiten ${problem.known.join(', ')}`}.`
    }
    case 'not-found':
      return problem.hint === undefined ? `Hay páginas en ${problem.known.join(', ')}.` : undefined
    case 'record-not-found':
      return 'Ningún registro de este catálogo tiene ese identificador ni esa clave.'
    case 'page-beyond-last':
      return problem.totalPages === 0
        ? `Se pidió la página ${problem.page}, y no hay ningún registro.`
        : `Se pidió la página ${problem.page}; la última es la ${problem.totalPages}.`
    case 'release-gone':
      return `La versión ${problem.digest} no está aquí.`
    case 'release-awaited':
      return `La versión ${problem.digest} todavía no llega a este servidor.`
    case 'method-not-allowed':
      return `Se usó ${problem.method}; se admiten GET y HEAD.`
    case 'uri-too-long':
      return `Se leen ${problem.max} letras a lo más.`
    case 'too-many-requests':
      return `Se admiten ${problem.requests} peticiones cada ${problem.windowSeconds} s desde una dirección.`
    case 'took-too-long':
      return 'Se agotó el tiempo de proceso que puede usar una petición.'
    case 'internal-error':
      return problem.release === undefined
        ? 'La falla está de nuestro lado.'
        : `La falla está de nuestro lado. Se leyó la versión ${problem.release.slice(0, 12)}; nomenclator releases verify dice si un archivo suyo está dañado.`
    default:
      return undefined
  }
}
