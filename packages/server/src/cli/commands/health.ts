// nomenclator health: checks that a service on this machine is ready, for containers that have no other HTTP client.
import { V1_PATH } from '../../base/api-v1.ts'
import { messageOf } from '../../base/operational-error.ts'
import { command } from '../command.ts'
import { type InvalidFlag, wholeNumber } from '../flags/flags.ts'
import { fetchDirectly } from '../serving/fetch-directly.ts'

export const health = command({
  name: 'health',
  summary: 'Check whether the service on this machine is ready',
  description: 'The exit code is 0 if it is, else 1 with the reason.',
  flags: {
    admin: {
      value: 'ADDRESS',
      env: 'ADMIN',
      description: 'address of the service for operators, as given to serve',
      defaultValue: '127.0.0.1:8081',
      parse: readinessUrl,
    },
    port: {
      value: 'PORT',
      description: 'check the service at its own port instead, such as 8080 after npm start',
      parse: wholeNumber(1, 65_535),
    },
    timeout: {
      value: 'SECONDS',
      description: 'how long to wait for its response',
      defaultValue: '3',
      parse: wholeNumber(1, 600),
    },
  },
  examples: ['health', 'health --port 8080', 'health --admin 127.0.0.1:9000 --timeout 10'],
  run: async ({ values, terminal }) => {
    const { port } = values
    const url = port === undefined ? values.admin : `http://127.0.0.1:${port}${V1_PATH}`
    try {
      const { status, body } = await fetchDirectly(url, values.timeout * 1_000)
      const write = status === 200 ? terminal.out : terminal.err
      write(`${status} ${port === undefined || status !== 200 ? body.trim() : `${url} responds`}\n`)
      return status === 200 ? 0 : 1
    } catch (error) {
      terminal.err(`No response from ${url}: ${messageOf(error)}\n${port === undefined ? HOW_TO_CHECK : HOW_TO_START}`)
      return 1
    }
  },
})

const HOW_TO_CHECK = `A service listens there only if it was started with --admin, as in: nomenclator serve --admin 127.0.0.1:8081
Without it, check the service at its own port: nomenclator health --port 8080
`
const HOW_TO_START = 'Start it with: nomenclator serve\n'

/** The address of `/readyz`. A service on all addresses of this machine responds at the loopback address. */
function readinessUrl(value: string): string | InvalidFlag {
  const [, host = '', port] = value.match(/^([^:]*|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})$/) ?? []
  const name = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }[host] ?? host
  const url = `http://${name}:${port}/readyz`
  return port !== undefined && Number(port) > 0 && URL.canParse(url)
    ? url
    : { allowed: 'an address and a port, such as 127.0.0.1:8081 or [::1]:8081' }
}
