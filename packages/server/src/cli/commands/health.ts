// nomenclator health: asks a running service whether it is ready, for health checks where there is no other HTTP client.
import { http } from '../../base/built-ins.ts'
import { command } from '../command.ts'
import type { Wrong } from '../flags/flags.ts'
import { wholeNumber } from '../flags/flags.ts'

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
      terminal.err(`No response from ${values.admin}: ${error instanceof Error ? error.message : error}\n`)
      return 1
    }
  },
})

/** An address that stands for all of this machine is asked at its loopback address. */
function readinessUrl(value: string): string | Wrong {
  const [, host = '', port] = value.match(/^([^:]*|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})$/) ?? []
  const name = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }[host] ?? host
  const url = `http://${name}:${port}/readyz`
  return port !== undefined && Number(port) > 0 && URL.canParse(url)
    ? url
    : { allowed: 'an address and a port, such as 127.0.0.1:8081 or [::1]:8081' }
}

type Fetched = { readonly status: number; readonly body: string }

/** Past any proxy that the environment names, which `fetch` would use. */
export async function fetchDirectly(url: string, milliseconds: number): Promise<Fetched> {
  const { promise, resolve, reject } = Promise.withResolvers<Fetched>()
  const request = http().get(url, { agent: false }, (response) => {
    let body = ''
    response.on('data', (chunk) => {
      body += chunk
    })
    response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    response.on('error', reject)
  })
  request.on('error', reject)
  const timer = setTimeout(() => reject(new Error(`nothing within ${milliseconds / 1_000} seconds`)), milliseconds)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    request.destroy()
  }
}
