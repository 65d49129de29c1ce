// nomenclator __complete WORD...: the words that may come next on a command line. Shells run it, and no help names it.
import { ReleaseStore } from '../release/home/release-store.ts'
import { commandOf, commandsWith, firstWords } from './command-table.ts'
import type { Environment } from './flags/flags.ts'
import { homePath } from './flags/home-flag.ts'

/** The candidates for the last word; none for a file, a number or an address. */
export async function candidates(words: readonly string[], env: Environment): Promise<readonly string[]> {
  const typed = words.slice(words[0] === 'help' ? 1 : 0, -1)
  const current = words.at(-1) ?? ''
  const all = typed.length === 0 ? [...firstWords, 'help', '--help', '--version'] : await following(typed, current, env)
  return all.filter((word) => word.startsWith(current))
}

async function following(typed: readonly string[], current: string, env: Environment): Promise<readonly string[]> {
  const [first] = typed
  const commands = await commandsWith(first)
  const called = commandOf(commands, typed)
  const secondWords = typed.length > 1 ? [] : commands.flatMap(({ name }) => name.match(`^${first} (.+)`)?.[1] ?? [])
  if (called === undefined) return secondWords
  const flags = new Map(Object.entries(called.flags).map(([name, flag]) => [`--${name}`, flag]))
  const before = flags.get(typed.at(-1) ?? '')
  if (before?.value !== undefined) return before.choices ?? []
  const { usage = '', choices } = called.operands ?? {}
  if (current.startsWith('-') || (called.operands === undefined && secondWords.length === 0))
    return [...flags.keys(), '--help'].filter((flag) => !typed.includes(flag))
  const home = typed.includes('--home') ? typed[typed.indexOf('--home') + 1] : env.NOMENCLATOR_HOME
  return [...secondWords, ...(choices ?? namesIn(new ReleaseStore(homePath(home)), usage))]
}

/** The releases or packages of a home, as the usage of a command names them. */
function namesIn(store: ReleaseStore, usage: string): readonly string[] {
  if (usage.includes('DIGEST')) return store.digests().map((digest) => digest.slice(0, 12))
  return usage === 'NAME' ? (store.openCurrent()?.manifest.packages ?? []).map(({ name }) => name) : []
}
