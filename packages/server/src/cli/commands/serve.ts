// nomenclator serve: responds from the current release until it is stopped.

import { createLog, type Log, logStyle } from '../../base/log.ts'
import { diskFailure, OperationalError } from '../../base/operational-error.ts'
import { command, type Terminal } from '../command.ts'
import { serveFlags } from '../flags/serve-flags.ts'

export const serveCommand = command({
  name: 'serve',
  summary: 'Serve the current release, or else the bundled data',
  description:
    'Without a release, it builds one from the data that ships with the program. SIGTERM and Ctrl-C let open requests finish; SIGHUP restarts the workers.',
  flags: serveFlags,
  examples: ['serve', 'serve --port 0 --workers 1', 'serve --host 0.0.0.0 --base-url https://catalogs.example.org'],
  run: async ({ values, terminal, env }) => {
    const { SUPERVISOR_VARIABLE } = await import('../../http/processes/messages.ts')
    const isWorker = env[SUPERVISOR_VARIABLE] !== undefined
    // The supervisor reads the log of a worker, and writes it in its own style.
    const style = isWorker ? 'json' : logStyle(values['log-format'], terminal.interactive, env.JOURNAL_STREAM)
    const log = createLog(style, terminal.err)
    const context = { values, log, terminal: style === 'text' ? terminal : loggingTerminal(terminal, log) }
    try {
      if (isWorker) {
        const { runWorker } = await import('../serving/worker.ts')
        return await runWorker(context, env)
      }
      const { start } = await import('../serving/start.ts')
      return await start(context)
    } catch (error) {
      const failure = error instanceof OperationalError ? error : diskFailure(error)
      if (style === 'text' || failure === undefined) throw error
      log({ level: 'error', event: 'start-failed', message: `nomenclator: ${failure.message}` })
      return 1
    }
  },
})

/** A terminal that logs the lines for people as events. */
const loggingTerminal = (terminal: Terminal, log: Log): Terminal => ({
  ...terminal,
  err: (text) => {
    for (const message of text.trimEnd().split('\n')) log({ level: 'info', event: 'notice', message })
  },
})
