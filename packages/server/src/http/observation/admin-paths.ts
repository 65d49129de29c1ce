// The paths for operators, which are served on a port of their own.
export const ADMIN_PATHS = {
  '/healthz': 'whether the process lives',
  '/readyz': 'whether it serves: 200, or 503 with the reason',
  '/metrics': 'metrics of all workers in the text format of Prometheus',
  '/release': 'which release each worker serves',
}
