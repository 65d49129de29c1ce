// Nomenclator and SQLite side by side: the first fifty of what is asked for, and the exact number of all.
import { find, type Query } from '../../src/find/finder.ts'
import type { Release } from '../../src/release/release.ts'
import { diceFor, pick, times } from '../../src/source/synthetic/dice.ts'
import { type Spread, spreadOf } from '../measure/spread.ts'
import { unremembered } from './questions.ts'
import { type Page, SqliteSearch } from './sqlite.ts'

const LIMIT = 50
const ROUNDS = 5
const dice = diceFor(5, 'sqlite')

type Question = { readonly ours: Query; readonly theirs: (sqlite: SqliteSearch) => Page }

/** In microseconds for each question; the median over the rounds, and their range. */
export type Contest = {
  readonly description: string
  readonly questions: number
  readonly ours: Spread
  readonly theirs: Spread
}
export type AgainstSqlite = {
  readonly contests: readonly Contest[]
  readonly oursBytes: number
  readonly theirsBytes: number
}

const none = { filters: [], words: [], sorts: [] } as const
const is = (field: string, value: number) => ({ steps: [field], match: 'equals', values: [value] }) as const
const states = times(32, (at) => at + 1)
const byName = { steps: ['descLocalidad'], descending: false }
const LETTERS = [...'abcdefghijlmnopqrstuvyz']
/** Such that enough are found for typing errors not to be forgiven, which SQLite does not do. */
const THREE_WORDS = ['san juan de', 'santa maria la', 'san jose de', 'colonia san jose', 'barrio de san', 'la cruz de']
  .concat(['el rincon de', 'san pedro de', 'villa de san', 'nuevo san juan', 'san francisco de', 'el puerto de'])
  .map((typed) => typed.split(' '))

const questions: Readonly<Record<string, readonly Question[]>> = {
  'one filter': states.map((state) => ({
    ours: { ...none, filters: [is('idEstado', state)] },
    theirs: (sqlite) => sqlite.filtered(state, LIMIT),
  })),
  'two filters, sorted by name': times(60, () => [pick(dice, states), 1 + dice(20)] as const).map(([state, id]) => ({
    ours: { ...none, filters: [is('idEstado', state), is('idLocalidad', id)], sorts: [byName] },
    theirs: (sqlite) => sqlite.filteredTwice(state, id, LIMIT),
  })),
  'words that begin with one letter': LETTERS.map((letter) => ({
    ours: { ...none, words: [letter] },
    theirs: (sqlite) => sqlite.matching(`${letter}*`, LIMIT),
  })),
  'three words': THREE_WORDS.map((words) => ({
    ours: { ...none, words },
    theirs: (sqlite) => sqlite.matching(words.map((word) => `${word}*`).join(' '), LIMIT),
  })),
}

export function againstSqlite(release: Release): AgainstSqlite {
  using sqlite = new SqliteSearch(release)
  const contests = Object.entries(questions).map(([description, request]) => {
    const rounds = times(ROUNDS + 1, () => {
      // What was found in an earlier round is not known in this one.
      const fresh = unremembered(release)
      return {
        ours: timed(request, ({ ours }) => ourPage(fresh, ours)),
        theirs: timed(request, ({ theirs }) => theirs(sqlite)),
      }
    }).slice(1)
    compare(description, request, release, sqlite)
    return {
      description,
      questions: request.length,
      ours: spreadOf(rounds.map(({ ours }) => ours)),
      theirs: spreadOf(rounds.map(({ theirs }) => theirs)),
    }
  })
  const { files } = release.manifest.entities.localidad
  return { contests, oursBytes: files.index.size + files.words.size, theirsBytes: sqlite.bytes }
}

function ourPage(release: Release, query: Query): Page {
  const found = find(release, 'localidad', query)
  return { total: found.total, positions: Array.from(found.slice(0, LIMIT)) }
}

/** Microseconds for each question, on average. */
function timed(request: readonly Question[], answer: (question: Question) => Page): number {
  const begun = Bun.nanoseconds()
  for (const question of request) answer(question)
  return (Bun.nanoseconds() - begun) / 1_000 / request.length
}

/** Both must find as many; otherwise they were not asked the same. */
function compare(description: string, request: readonly Question[], release: Release, sqlite: SqliteSearch): void {
  for (const question of request) {
    const [ours, theirs] = [ourPage(release, question.ours).total, question.theirs(sqlite).total]
    if (ours !== theirs)
      throw new Error(`${description}: ${ours} found here and ${theirs} by SQLite: ${JSON.stringify(question)}`)
  }
}
