// Serves the current release until it is told to stop.
import { BlockList, isIP } from 'node:net'
import { createApp } from '../http/app.ts'
import { serve } from '../http/serve.ts'
import type { Release } from '../release/release.ts'
import { Shelf } from '../release/shelf.ts'
import { bundledSource } from '../source/bundled.ts'
import { command, type Terminal } from './command.ts'
import { text, type Wrong, wholeNumber } from './flags.ts'
import { home, homeOf } from './home-flag.ts'
import { countsOf, importInto } from './import.ts'

const DRAIN_MILLISECONDS = 10_000

export const serveCommand = command({
  name: 'serve',
  says: 'Serve the current release; without one, build the bundled data first.',
  flags: {
    host: { value: 'ADDRESS', env: 'HOST', says: 'address to listen on', absent: '127.0.0.1', parse: text },
    port: {
      value: 'PORT',
      env: 'PORT',
      says: 'port to listen on, 0 for a free one',
      absent: '8080',
      parse: wholeNumber(0, 65_535),
    },
    'base-url': {
      value: 'URL',
      env: 'BASE_URL',
      says: 'address to use in links; else that of the request',
      parse: baseUrl,
    },
    'trust-proxy': {
      value: 'LIST',
      env: 'TRUST_PROXY',
      says: 'believe X-Forwarded-Host and X-Forwarded-Proto from these addresses, such as 10.0.0.0/8,::1',
      parse: addresses,
    },
    home,
  },
  examples: ['serve', 'serve --port 0', 'serve --host 0.0.0.0 --base-url https://catalogs.example.org'],
  run: async ({ values, terminal }) => {
    const release = await currentRelease(new Shelf(homeOf(values.home)), terminal)
    const app = createApp({
      release: () => release,
      policy: { baseUrl: values['base-url'], trustedProxies: values['trust-proxy'] },
      logError: (error, { method, url }) => terminal.err(`${method} ${url} failed: ${Bun.inspect(error)}\n`),
    })
    const server = serve(app, { host: values.host, port: values.port })
    terminal.out(
      `Serving release ${release.manifest.digest.slice(0, 12)} on ${server.url}: ${countsOf(release.manifest)}\n`,
    )
    await signalToStop()
    await server.stop(DRAIN_MILLISECONDS)
    return 0
  },
})

async function currentRelease(shelf: Shelf, terminal: Terminal): Promise<Release> {
  const current = shelf.openCurrent()
  if (current !== undefined) return current
  terminal.err('No release yet: building one from the bundled data.\n')
  await importInto(shelf, bundledSource(), terminal)
  return shelf.openCurrent() as Release
}

function signalToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
}

function baseUrl(value: string): string | Wrong {
  return /^https?:\/\/[A-Za-z0-9.\-_~:[\]]+(?:\/[A-Za-z0-9.\-_~]+)*\/?$/.test(value) && URL.canParse(value)
    ? value.replace(/\/$/, '')
    : { allowed: 'an http or https address without query, such as https://catalogs.example.org' }
}

function addresses(value: string): BlockList | Wrong {
  const list = new BlockList()
  for (const entry of value.split(',')) {
    const [address = '', bits, ...rest] = entry.trim().split('/')
    const version = isIP(address)
    const most = version === 6 ? 128 : 32
    const fits = bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= most)
    if (version === 0 || !fits || rest.length > 0)
      return { allowed: 'addresses, with /bits for a range, separated by commas' }
    list.addSubnet(address, bits === undefined ? most : Number(bits), version === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}
