// Asks a service of this machine, past any proxy that the environment names, which `fetch` would use.
import { http } from '../../base/built-ins.ts'

type Fetched = { readonly status: number; readonly body: string }

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
