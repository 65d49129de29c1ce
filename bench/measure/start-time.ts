// From the start of the process to the first answer.
import { serveFrom } from '../servers/nomenclator.ts'
import { RunningServer } from '../servers/running-server.ts'
import { type Spread, spreadOf } from './spread.ts'

/** With one worker for each core, and what is on disk in the cache, as the starts before have left it. */
export async function startTimes(home: string, times: number, cores: readonly number[]): Promise<Spread> {
  const setting = { name: 'start', launch: serveFrom(home), cores, workers: cores.length }
  const milliseconds: number[] = []
  // The first start fills the cache and does not count.
  for (let start = 0; start <= times; start++) {
    await using server = await RunningServer.start(setting)
    if (start > 0) milliseconds.push(server.startMilliseconds)
  }
  return spreadOf(milliseconds)
}
