// nomenclator health: asks a running service whether it is ready, for health checks where there is no other HTTP client.
import { messageOf } from '../../base/failure.ts'
import { command } from '../command.ts'
import { type Wrong, wholeNumber } from '../flags/flags.ts'
import { fetchDirectly } from '../serving/fetch-directly.ts'

export const health = command({
  name: 'health',
  description: 'Ask the service on this machine whether it is ready: exit code 0 if it is, else 1 with the reason.',
  flags: {
    admin: {
      value: 'ADDRESS',
      env: 'ADMIN',
      description: 'where the service listens for operators, as given to serve',
      defaultValue: '127.0.0.1:8081',
      parse: readinessUrl,
    },
    timeout: {
      value: 'SECONDS',
      description: 'how long to wait for its response',
      defaultValue: '3',
      parse: wholeNumber(1, 600),
    },
  },
  examples: ['health', 'health --admin 127.0.0.1:9000 --timeout 10'],
  run: async ({ values, terminal }) => {
    try {
      const { status, body } = await fetchDirectly(values.admin, values.timeout * 1_000)
      const write = status === 200 ? terminal.out : terminal.err
      write(`${status} ${body.trim()}\n`)
      return status === 200 ? 0 : 1
    } catch (error) {
      terminal.err(`No response from ${values.admin}: ${messageOf(error)}\n`)
      return 1
    }
  },
})

/** Where a service tells whether it is ready. One on all addresses of this machine is asked at the loopback address. */
function readinessUrl(value: string): string | Wrong {
  const [, host = '', port] = value.match(/^([^:]*|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})$/) ?? []
  const name = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }[host] ?? host
  const url = `http://${name}:${port}/readyz`
  return port !== undefined && Number(port) > 0 && URL.canParse(url)
    ? url
    : { allowed: 'an address and a port, such as 127.0.0.1:8081 or [::1]:8081' }
}
