// Which language a column is in, by its name: `name_en`, `Name (French)`, `DescriptionES`, `English`.
import { headerWords } from './lexicon.ts'

/** ISO 639-1. */
const CODES = new Set(
  (
    'aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu ' +
    'fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km ' +
    'kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om ' +
    'or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ' +
    'ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu'
  ).split(' '),
)
/** Codes that are words of their own in names of columns. */
const AMBIGUOUS = new Set('id is as or no to so na an am io my se st ch co'.split(' '))
/** What people write for a language: the country in which it is spoken, or three letters. */
const WRITTEN_FOR: ReadonlyMap<string, string> = new Map(
  (
    'cn:zh jp:ja cz:cs gr:el ua:uk dk:da eng:en fra:fr fre:fr spa:es esp:es deu:de ger:de ita:it por:pt rus:ru ara:ar zho:zh ' +
    'chi:zh nld:nl jpn:ja'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
)
/** Languages in which the names of languages are known, besides each in itself. */
const NAMED_IN = ['en', 'es', 'fr', 'pt', 'de', 'it']

let codeByName: ReadonlyMap<string, string> | undefined

/** The names of languages are those of the runtime, and are looked up only where a name of a column may have one. */
function languageNames(): ReadonlyMap<string, string> {
  if (codeByName !== undefined) return codeByName
  const names = new Map<string, string>()
  for (const inLanguage of NAMED_IN) {
    const display = new Intl.DisplayNames([inLanguage], { type: 'language', fallback: 'none' })
    for (const code of CODES) {
      const name = display.of(code)
      if (name !== undefined && !name.includes(' ') && name.length > 3 && !names.has(headerWords(name).join(' ')))
        names.set(headerWords(name).join(' '), code)
    }
  }
  codeByName = names
  return names
}

type InLanguage = {
  readonly language: string
  /** The words of the name without those of the language. */
  readonly stem: readonly string[]
  /** Whether it may as well mean something else. */
  readonly isAmbiguous: boolean
  /** True for the name of a language, as in `English`. */
  readonly isNamed: boolean
}

/** The language that the words of a name tell. */
export function languageIn(words: readonly string[]): InLanguage | undefined {
  const last = words.at(-1) ?? ''
  const before = words.at(-2) ?? ''
  if (words.length > 2 && CODES.has(before) && !AMBIGUOUS.has(before) && /^[a-z]{2}$/.test(last))
    return { language: `${before}-${last.toUpperCase()}`, stem: words.slice(0, -2), isAmbiguous: false, isNamed: false }
  const named = words.findIndex((word) => word.length > 3 && languageNames().has(word))
  if (named >= 0)
    return {
      language: languageNames().get(words[named] as string) as string,
      stem: words.filter((_, at) => at !== named),
      isAmbiguous: false,
      isNamed: true,
    }
  if (words.length === 1 && CODES.has(last) && !AMBIGUOUS.has(last))
    return { language: last, stem: [], isAmbiguous: true, isNamed: false }
  if (words.length < 2) return undefined
  const language = WRITTEN_FOR.get(last) ?? (CODES.has(last) ? last : undefined)
  if (language === undefined) return undefined
  return {
    language,
    stem: words.slice(0, -1),
    isAmbiguous: AMBIGUOUS.has(last) || WRITTEN_FOR.has(last),
    isNamed: false,
  }
}
