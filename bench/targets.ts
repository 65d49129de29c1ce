// What the service promises to reach, and whether it did.
import type { Spread } from './measure/spread.ts'

export type Limit = { readonly most: number } | { readonly below: number } | { readonly least: number }
export type Unit = '×' | 'ms' | 'MB' | 'localities/s'
export type Target = { readonly description: string; readonly unit: Unit; readonly limit: Limit }

/** All comparisons are at 64 connections that are kept alive, with every server on one core, unless they say otherwise. */
export const targets = {
  randomCpu: { description: 'CPU per request on random pages, against nginx', unit: '×', limit: { most: 1.15 } },
  hotCpu: { description: 'CPU per request on one hot page, against nginx', unit: '×', limit: { most: 1.25 } },
  randomRate: {
    description: 'requests/s of one core on random pages, against nginx',
    unit: '×',
    limit: { least: 0.9 },
  },
  drfFirst: { description: 'requests/s on page 1, against Django REST Framework', unit: '×', limit: { least: 50 } },
  drfDeep: {
    description: 'requests/s on the deepest page, against Django REST Framework',
    unit: '×',
    limit: { least: 500 },
  },
  depth: { description: 'CPU per request of the deepest page, against page 1', unit: '×', limit: { most: 1.05 } },
  unchanged: { description: 'CPU per request of a 304, against its 200', unit: '×', limit: { below: 1 } },
  growth: { description: 'CPU per request at ten times the localities, against once', unit: '×', limit: { most: 1.1 } },
  start: { description: 'start to first answer', unit: 'ms', limit: { below: 150 } },
  privateMemory: { description: 'private memory of a worker, after random pages', unit: 'MB', limit: { below: 60 } },
  twoWorkers: { description: 'requests/s of two workers on two cores, against one', unit: '×', limit: { least: 1.8 } },
  buildRate: { description: 'building a release', unit: 'localities/s', limit: { least: 100_000 } },
} as const satisfies Readonly<Record<string, Target>>

export type TargetName = keyof typeof targets
export const targetNames = Object.keys(targets) as TargetName[]

export type Finding = { readonly value: Spread; readonly note?: string } | { readonly unmeasured: string }
export type Findings = Readonly<Partial<Record<TargetName, Finding>>>

export type Verdict = {
  readonly name: TargetName
  readonly outcome: 'met' | 'missed' | 'not measured'
  readonly finding: Finding
}

export function isMet(limit: Limit, value: number): boolean {
  if ('most' in limit) return value <= limit.most
  return 'below' in limit ? value < limit.below : value >= limit.least
}

/** The median is what is judged; a target that was not measured is neither met nor missed. */
export function judge(findings: Findings): Verdict[] {
  return targetNames.map((name) => {
    const finding = findings[name] ?? { unmeasured: 'not part of this run' }
    if ('unmeasured' in finding) return { name, outcome: 'not measured', finding }
    return { name, outcome: isMet(targets[name].limit, finding.value.median) ? 'met' : 'missed', finding }
  })
}
