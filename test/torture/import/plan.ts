// When the imports of a campaign are killed: spread over time, over changes to the disk, and at the moments that matter.
import type { Manifest } from '../../../packages/server/src/release/manifest.ts'

export type Plan =
  /** After this part of the time that an import takes, or in the middle of a change to the disk after this part of all. */
  | { readonly way: 'moment' | 'change'; readonly part: number }
  /** In the middle of the last change to the disk, the last but one, and so on. */
  | { readonly way: 'change'; readonly last: number }
  /** As soon as this file can be seen in the home, or begins like this; a star stands for any one name. */
  | { readonly way: 'sight'; readonly path: string; readonly description?: string }

/** What an import leaves on its way, in order. */
const sights = ({ digest, entities }: Manifest): readonly Omit<Extract<Plan, { way: 'sight' }>, 'way'>[] => [
  { path: 'building/*/pais/records' },
  { path: 'building/*/localidad/etags' },
  { path: 'building/*/localidad/entity.json' },
  { path: 'id-registry.json.next' },
  { path: `entities/${entities.pais?.digest}` },
  { path: `entities/${entities.localidad?.digest}` },
  { path: `building/release-${digest}` },
  { path: `releases/${digest}` },
  { path: 'current.next' },
  { path: 'current', description: digest },
]

const WAYS = ['change', 'moment', 'change', 'sight'] as const

/** As many plans as there are to be kills, their parts spread evenly; `target` says what each import makes current. */
export function plansFor(kills: number, target: (plan: number) => Manifest): Plan[] {
  const ways = Array.from({ length: kills }, (_, at) => WAYS[at % WAYS.length])
  const counted = { moment: 0, change: 0, sight: 0 }
  return ways.map((way = 'change', at): Plan => {
    const turn = counted[way]++
    const seen = sights(target(at))
    if (way === 'sight') return { way, path: 'current.next', ...seen[turn % seen.length] }
    return { way, part: (turn + Math.random()) / ways.filter((one) => one === way).length }
  })
}

const short = (text: string) => text.replace(/[0-9a-f]{64}/, (digest) => digest.slice(0, 12))

export function planText(plan: Plan): string {
  if ('last' in plan) return `at change ${plan.last} from the end`
  if (plan.way !== 'sight')
    return `after ${(plan.part * 100).toFixed(1)} % of its ${plan.way === 'moment' ? 'time' : 'changes to the disk'}`
  return `at the sight of ${short(plan.path)}${plan.description === undefined ? '' : ` with ${short(plan.description)}`}`
}
