// Which generator brings which load.
import type { Generator, Job, LoadResult } from './job.ts'
import type { Load } from './loads.ts'
import { ownLoad } from './own.ts'
import { wrk } from './wrk.ts'

/**
 * wrk waits for the body of an answer to HEAD, which never comes, and after an answer that does not announce the end
 * of the connection it sends one more request into it. Both are left to the generator of the benchmark, for all servers.
 */
export const generatorFor = (load: Load, reuse: boolean): Generator =>
  load.method === 'HEAD' || !reuse ? 'own' : 'wrk'

export const runLoad = (job: Job): Promise<LoadResult> => (job.generator === 'wrk' ? wrk(job) : ownLoad(job))
