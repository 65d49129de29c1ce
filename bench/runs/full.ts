// Everything: all servers, all loads, growth; ends with the report and its charts.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { comparedLoads } from '../load/loads.ts'
import { describeMachine } from '../machine/description.ts'
import { memoryOf } from '../machine/memory.ts'
import { ROOT, workPath } from '../machine/places.ts'
import { type Measured, ratioFindings } from '../measure/findings.ts'
import { type Footprint, type Growth, type Results, rowOf } from '../measure/results.ts'
import { alternate } from '../measure/rounds.ts'
import { twoAgainstOne } from '../measure/two-workers.ts'
import type { Contest, Sample } from '../measure/window.ts'
import type { Options } from '../options.ts'
import { charts } from '../report/charts.ts'
import { loadDraw } from '../report/draw.ts'
import { report } from '../report/markdown.ts'
import { progress } from '../report/progress.ts'
import { targetTable } from '../report/tables.ts'
import { textTable } from '../report/text-table.ts'
import { peers } from '../servers/contenders.ts'
import { judge } from '../targets.ts'
import { growthOf, type Size, sizeContests, sizes, timedBuilds } from './growth.ts'
import { COMPARED_CONNECTIONS, contest, type Stage, setStage } from './stage.ts'
import { workerMemory } from './worker-memory.ts'

const BUILDS = 9

/** The one that the targets speak of comes first. */
const CONNECTIONS = [COMPARED_CONNECTIONS, 1, 512]

export async function full(options: Options, argv: readonly string[]): Promise<number> {
  await using stage = await setStage(
    options,
    peers.filter(({ name }) => options.servers?.includes(name) ?? true),
  )
  const { builds, rate, note } = await timedBuilds(BUILDS)
  const all = await sizes(stage, builds, options)
  await using stack = new AsyncDisposableStack()
  for (const { server } of all) stack.use(server)
  const { measured, footprints, growth } = await measureAll(stage, all, options)
  const memory = await workerMemory(stage)
  const verdicts = judge({
    ...ratioFindings(measured),
    start: { value: (all[0] as Size).start },
    privateMemory: memory.finding,
    twoWorkers: await twoAgainstOne({ ...options, home: stage.built.home, totalPages: stage.pages.totalPages }),
    buildRate: { value: rate },
  })
  const { rounds, seconds, workers } = options
  await write(options, {
    taken: new Date().toISOString(),
    command: ['npm run bench', ...(argv.length === 0 ? [] : ['--', ...argv])].join(' '),
    ...{ rounds, seconds, workers },
    machine: describeMachine(stage.contenders),
    defaultValue: stage.defaultValue,
    rows: [...measured].map(([each, samples]) => rowOf(each, samples)),
    ...{ footprints, growth, notes: [...stage.notes, memory.note, note], verdicts },
  })
  return verdicts.some(({ outcome }) => outcome === 'missed') ? 1 : 0
}

type Everything = { readonly measured: Measured; readonly footprints: Footprint[]; readonly growth: Growth[] }

async function measureAll(stage: Stage, all: readonly Size[], options: Options): Promise<Everything> {
  const measured = new Map<Contest, readonly Sample[]>()
  let footprints: Footprint[] = []
  let growth: Growth[] = []
  for (const reuse of options.usual ? [true] : [true, false]) {
    for (const connections of options.usual ? [COMPARED_CONNECTIONS] : CONNECTIONS) {
      const title = `${connections} connections, ${reuse ? 'kept alive' : 'a new one for each request'}`
      const { show, end } = progress(title)
      const usual = reuse && connections === COMPARED_CONNECTIONS
      const contests = [
        ...comparedLoads.flatMap((load) =>
          stage.servers.map((server) => contest(server, load, stage.pages.totalPages, { connections, reuse })),
        ),
        ...(usual ? sizeContests(all).map(({ server, load, totalPages }) => contest(server, load, totalPages)) : []),
      ]
      const how = { ...options, warmSeconds: 1, cores: stage.cores.load, onWindow: show }
      const samples = await alternate(contests, how)
      for (const [each, taken] of samples) measured.set(each, taken)
      end()
      console.log(`Measured: ${title}`)
      if (!usual) continue
      footprints = stage.servers.map(({ name, pid }) => {
        const { processes, ...memory } = memoryOf(pid)
        const largestBytes = Math.max(...processes.map(({ privateBytes }) => privateBytes))
        return { server: name, processes: processes.length, largestBytes, ...memory }
      })
      growth = growthOf(all, measured)
    }
  }
  return { measured, footprints, growth }
}

async function write(options: Options, results: Results): Promise<void> {
  writeFileSync(workPath('results', 'latest.json'), `${JSON.stringify(results, null, 2)}\n`)
  const out = resolve(ROOT, options.out)
  mkdirSync(join(out, 'charts'), { recursive: true })
  const draw = await loadDraw()
  if (draw === undefined) console.log('! No charts: echarts is not installed; run bench/setup')
  const drawn = draw === undefined ? [] : charts(results, draw)
  for (const { file, svg } of drawn) writeFileSync(join(out, 'charts', file), svg)
  writeFileSync(join(out, 'benchmarks.md'), `${report(results, drawn)}\n`)
  console.log(textTable(targetTable(results.verdicts)))
  console.log(`The report is ${join(options.out, 'benchmarks.md')}`)
}
