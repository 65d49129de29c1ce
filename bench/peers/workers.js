// Runs a server in as many processes as are asked for; one needs no other beside it.
import cluster from 'node:cluster'

export function inWorkers(serve) {
  const workers = Number(process.env.BENCH_WORKERS)
  if (workers === 1 || cluster.isWorker) {
    serve(Number(process.env.BENCH_PORT))
    return
  }
  for (let worker = 0; worker < workers; worker++) cluster.fork()
  process.once('SIGTERM', () => process.exit(0))
}
