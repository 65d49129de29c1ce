// The main comparison and the targets in under two minutes; nginx and wrk are all it needs.
import { writeFileSync } from 'node:fs'
import { loads } from '../load/loads.ts'
import { describeMachine } from '../machine/description.ts'
import { workPath } from '../machine/places.ts'
import { ratioFindings } from '../measure/findings.ts'
import { type Results, rowOf } from '../measure/results.ts'
import { alternate } from '../measure/rounds.ts'
import { startTimes } from '../measure/start-time.ts'
import { twoAgainstOne } from '../measure/two-workers.ts'
import type { Options } from '../options.ts'
import { progress } from '../report/progress.ts'
import { comparison, noiseNote, targetNotes, targetTable } from '../report/tables.ts'
import { textTable } from '../report/text-table.ts'
import { nginx } from '../servers/nginx.ts'
import { syntheticRelease } from '../servers/synthetic-release.ts'
import { judge } from '../targets.ts'
import { timedBuilds } from './growth.ts'
import { contest, pagesAtScale, type Stage, setStage, startScaled } from './stage.ts'
import { workerMemory } from './worker-memory.ts'

const STARTS = 11
const BUILDS = 3
const TEN = 10

export async function quick(options: Options): Promise<number> {
  await using stage = await setStage(options, [nginx])
  const { rate, note } = await timedBuilds(BUILDS)
  const ten = await syntheticRelease(TEN, options.fresh)
  const start = await startTimes(stage.built.home, STARTS, stage.cores.server)
  await using larger = await startScaled(ten, stage.cores, options.workers)
  const contests = [...contestsOf(stage), contest(larger, loads.random, pagesAtScale(ten))]
  const { show, end } = progress('measuring')
  const how = { ...options, warmSeconds: 1, cores: stage.cores.load, onWindow: show }
  const measured = await alternate(contests, how)
  end()
  const memory = await workerMemory(stage)
  const verdicts = judge({
    ...ratioFindings(measured),
    start: { value: start },
    privateMemory: memory.finding,
    buildRate: { value: rate },
    twoWorkers: await twoAgainstOne({ ...options, home: stage.built.home, totalPages: stage.pages.totalPages }),
  })
  const results: Results = {
    taken: new Date().toISOString(),
    command: 'npm run bench -- --quick',
    ...{ rounds: options.rounds, seconds: options.seconds, workers: options.workers },
    machine: describeMachine(stage.contenders),
    defaultValue: stage.defaultValue,
    rows: [...measured].map(([each, samples]) => rowOf(each, samples)),
    ...{ footprints: [], growth: [], notes: [...stage.notes, memory.note, note], verdicts },
  }
  writeFileSync(workPath('results', 'quick.json'), `${JSON.stringify(results, null, 2)}\n`)
  print(results)
  return verdicts.some(({ outcome }) => outcome === 'missed') || stage.defaultValue.length > 0 ? 1 : 0
}

/** Ordered so that what is compared stands side by side. */
function contestsOf({ servers, pages: { totalPages } }: Stage) {
  const ours = servers.slice(0, 1)
  return [
    ...ours.map((server) => contest(server, loads.unchanged, totalPages)),
    ...ours.map((server) => contest(server, loads.deep, totalPages)),
    ...servers.map((server) => contest(server, loads.hot, totalPages)),
    ...servers.toReversed().map((server) => contest(server, loads.random, totalPages)),
  ]
}

function print(results: Results): void {
  console.log(
    `\n${results.rounds} alternating rounds of ${results.seconds} s, 64 connections kept alive; medians (least–most)\n`,
  )
  console.log(textTable(comparison(results.rows)))
  console.log(textTable(targetTable(results.verdicts)))
  for (const note of [...targetNotes(results.verdicts), ...results.notes]) console.log(`- ${note}`)
  const noise = noiseNote(results)
  if (noise !== undefined) console.log(`! ${noise}`)
}
