// The examples in deploy/: each is checked by the program that it is for, or run, where that program is there.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../bench/free-port.ts'
import { version } from '../../packages/server/src/base/version.ts'
import { allCommands } from '../../packages/server/src/cli/command-table.ts'
import { parseShelfAddress } from '../../packages/server/src/distribution/postgres/address.ts'
import { maxBodyAt, RECONCILE_PATH, RESOLVE_PATH } from '../../packages/server/src/http/routes.ts'
import { ran } from '../support/command.ts'
import { jumbled } from '../support/jumbled-catalog.ts'
import { nginxWith } from '../support/nginx.ts'
import { PROGRAM, TestDirectory, TestHome } from '../support/releases.ts'
import { childrenOf, eventually, Service } from '../support/service.ts'
import { smallSource } from '../support/small-source.ts'

const commands = await allCommands()

const ROOT = join(import.meta.dir, '..', '..')
const DEPLOY = join(ROOT, 'deploy')
const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8')
/** The text of a file in deploy/, empty for a directory. */
const textIn = (name: string) => (statSync(join(DEPLOY, name)).isFile() ? read(name) : '')
const lacks = (...tools: string[]) => tools.some((tool) => Bun.which(tool) === null)

const scratch = new TestDirectory()
// The workers of nginx are of another user.
chmodSync(scratch.path, 0o711)
afterAll(() => scratch[Symbol.dispose]())

/** A command in the scratch directory, and all that it wrote. */
async function tried(
  command: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
) {
  const { code, out, err } = await ran(command, { cwd: scratch.path, ...options })
  return { code, text: `${out}${err}` }
}

const canUnshare = process.platform === 'linux' && (await tried(['unshare', '--pid', '--fork', 'true'])).code === 0
test('docs/install.md says of every example what was tried', () => {
  const tried = readFileSync(join(ROOT, 'docs', 'install.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `deploy/'))
  const examples = readdirSync(DEPLOY).filter(
    (name) => textIn(name) !== '' && !['Dockerfile.dockerignore', 'nomenclator.default'].includes(name),
  )
  expect(examples.filter((name) => !tried.some((line) => line.includes(`\`deploy/${name}`)))).toEqual([])
})

describe('variables', () => {
  const variables = new Set([
    ...commands.flatMap(({ flags }) => Object.values(flags).flatMap(({ env }) => env ?? [])),
    // Variables of the example for Caddy.
    'SITE',
    'UPSTREAM',
  ])
  const examples = [
    ['nomenclator.service', /^Environment=([A-Z_]+)=/gm],
    ['nomenclator.default', /^#?([A-Z_]+)=/gm],
    ['compose.yaml', /^ {6}([A-Z_]+): /gm],
    ['kubernetes.yaml', /\{name: ([A-Z_]+), value/g],
    ['Dockerfile', /([A-Z_]+)=/g],
  ] as const
  test.each(examples)(
    'of %s are those of the program, and the listener for operators is among them',
    (name, pattern) => {
      const named = [...read(name).matchAll(pattern)].map(([, variable]) => variable as string)
      expect(named.filter((variable) => !variables.has(variable))).toEqual([])
      expect(named).toContain('ADMIN')
    },
  )
})

describe('systemd', () => {
  test.skipIf(lacks('systemd-analyze'))('takes the unit, and finds it secure', async () => {
    const path = join(scratch.path, 'nomenclator.service')
    // The program need not be installed where this runs.
    writeFileSync(path, read('nomenclator.service').replace('/usr/bin/nomenclator', '/bin/true'))
    expect(await tried(['systemd-analyze', 'verify', '--man=no', path])).toEqual({ code: 0, text: '' })
    const { text } = await tried(['systemd-analyze', 'security', '--offline=true', '--no-pager', path])
    const [, exposure] = text.match(/Overall exposure level for nomenclator\.service: ([0-9.]+)/) ?? []
    expect(Number(exposure)).toBeLessThan(2)
  })
})

describe('logrotate', () => {
  test.skipIf(lacks('logrotate'))('takes the example', async () => {
    const path = join(scratch.path, 'logrotate')
    // The user need not be there.
    writeFileSync(path, read('nomenclator.logrotate').replaceAll('nomenclator nomenclator', 'root root'))
    const { code, text } = await tried(['logrotate', '--debug', '--state', join(scratch.path, 'state'), path])
    expect([code, text]).toEqual([0, expect.not.stringContaining('error')])
  })
})

describe('proxies in front', () => {
  for (const program of ['nginx', 'caddy', 'varnishd'])
    if (lacks(program)) console.log(`Skipped: ${program} is not on this machine, so its examples do not run.`)
  const home = new TestHome()
  let service: Service
  beforeAll(async () => {
    await home.import(smallSource(jumbled))
    service = await Service.over(home, { flags: ['--workers', '1', '--trust-proxy', '127.0.0.1', '--cache-tags'] })
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    home[Symbol.dispose]()
  })

  /** Runs a proxy until the test is over; resolves when it responds. */
  async function proxy(command: string[], url: string, env: Record<string, string> = {}) {
    const child = Bun.spawn(command, {
      cwd: scratch.path,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const tls = { rejectUnauthorized: false }
    await eventually(`${url} responds`, () => fetch(url, { tls }).then(Boolean, () => child.exitCode !== null))
    if (child.exitCode !== null) throw new Error(await child.stderr.text())
    return {
      fetch: (path: string, headers: Record<string, string> = {}) => fetch(`${url}${path}`, { tls, headers }),
      /** Posts a megabyte of rows; returns the status and the number of rows that were resolved. */
      postRows: async () => {
        const names = (jumbled.pais ?? []).map((one) => one.descPais)
        const rows = Array.from({ length: 10_000 }, (_, at) => `{"pais":${JSON.stringify(names[at % names.length])}}`)
        const body = `[${rows.map((row) => row.padEnd(110)).join()}]`
        const headers = { 'Content-Type': 'application/json' }
        const response = await fetch(`${url}${RESOLVE_PATH}`, { tls, method: 'POST', headers, body })
        return [response.status, response.ok ? ((await response.json()) as unknown[]).length : await response.text()]
      },
      [Symbol.asyncDispose]: async () => {
        child.kill()
        await child.exited
      },
    }
  }

  /** A node that has not got the release of a request yet. */
  const lagging = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) =>
      request.method === 'POST'
        ? fetch(new Request(`${service.url}${new URL(request.url).pathname}`, request), { decompress: false })
        : new Response('', { status: 503, headers: { 'Retry-After': '2', 'Nomenclator-Shelf': 'lag' } }),
  })
  afterAll(() => lagging.stop(true))

  const tries = Array.from({ length: 8 })
  /** Sends requests that are pinned to a release through a proxy in front of both nodes, and returns the statuses. */
  const statusesOf = async (running: { fetch: (path: string) => Promise<Response> }) => {
    const statuses: number[] = []
    for (const at of tries.keys())
      statuses.push((await running.fetch(`/api/v2/paises?release=${home.current().digest}&per_page=${at + 1}`)).status)
    return statuses
  }
  const allGood = tries.map(() => 200)

  /** Runs nginx with an example that names both nodes. */
  async function nginxOver(site: string, url: string) {
    const nodes = `server 127.0.0.1:${lagging.port}$1; server 127.0.0.1:${service.port}$1;`
    const nginx = nginxWith(scratch.path, site.replace(/server 127.0.0.1:8080(.*);/, nodes))
    expect(await tried([...nginx, '-t'])).toMatchObject({
      code: 0,
      text: expect.not.stringMatching(/\[(?:warn|emerg)\]/),
    })
    return await proxy(nginx, url)
  }

  test.skipIf(lacks('nginx', 'openssl'))(
    'nginx: links have its name and scheme, whatever Host a client sends; a node that lags is passed over',
    async () => {
      const port = freePort()
      const [certificate, key] = [join(scratch.path, 'cert.pem'), join(scratch.path, 'key.pem')]
      const subject = ['-subj', '/CN=catalogs.example.org', '-keyout', key, '-out', certificate]
      expect(
        (await tried(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject])).code,
      ).toBe(0)
      const site = read('nginx.conf')
        .replace('/etc/ssl/certs/catalogs.example.org.pem', certificate)
        .replace('/etc/ssl/private/catalogs.example.org.key', key)
        .replace(/listen \[::\]:\d+(?: ssl)?;/g, '')
        .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
        .replace('listen 80;', `listen 127.0.0.1:${freePort()};`)
      await using running = await nginxOver(site, `https://127.0.0.1:${port}`)
      const page = await running.fetch('/api/v1/paises', { Host: 'made-up.example.net' })
      expect(page.status).toBe(200)
      expect(page.headers.get('Link')).toStartWith('<https://catalogs.example.org/api/v1/paises?')
      const tag = page.headers.get('ETag') ?? ''
      expect((await running.fetch('/api/v1/paises', { 'If-None-Match': tag })).status).toBe(304)
      const all = await running.fetch('/api/v2/paises/all', { Range: 'bytes=0-9', 'Accept-Encoding': 'identity' })
      expect([all.status, (await all.arrayBuffer()).byteLength]).toEqual([206, 10])
      expect(await statusesOf(running)).toEqual(allGood)
      expect(await running.postRows()).toEqual([200, 10_000])
    },
  )

  test.skipIf(lacks('nginx'))(
    'nginx as a cache: a page is a hit the second time, and a node that lags is passed over',
    async () => {
      const port = freePort()
      const site = read('nginx-cache.conf')
        .replace('/var/cache/nginx/nomenclator', join(scratch.path, 'cache'))
        .replace('listen 80;', `listen 127.0.0.1:${port};`)
      await using running = await nginxOver(site, `http://127.0.0.1:${port}`)
      const caching = async (target: string) => (await running.fetch(target)).headers.get('X-Cache')
      const second = expect.stringMatching(/^(?:HIT|STALE|UPDATING)$/)
      expect([await caching('/api/v1/paises'), await caching('/api/v1/paises')]).toEqual(['MISS', second])
      const pinned = `/api/v2/paises/1?release=${home.current().digest}`
      expect([await caching(pinned), await caching(pinned)]).toEqual(['MISS', 'HIT'])
      expect([await caching('/api/v2/paises'), await caching('/api/v2/paises')]).toEqual(['MISS', 'MISS'])
      expect(await statusesOf(running)).toEqual(allGood)
      expect(await running.postRows()).toEqual([200, 10_000])
    },
  )

  const maxBody = Math.max(...[RESOLVE_PATH, RECONCILE_PATH].map((path) => maxBodyAt(path) ?? 0))
  const bytesIn = (size: string) =>
    Number.parseInt(size, 10) * ({ k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 }[size.at(-1) ?? ''] ?? 1)
  /** How each kind of proxy names the largest body that it passes on, and what it passes on by default. */
  const bodyLimits = [
    ['nginx.conf', /client_max_body_size (\w+);/g, '1m'],
    ['nginx-cache.conf', /client_max_body_size (\w+);/g, '1m'],
    ['kubernetes.yaml', /nginx\.ingress\.kubernetes\.io\/proxy-body-size: (\w+)/g, '1m'],
    ['Caddyfile', /max_size (\w+)/g, '1g'],
    ['varnish.vcl', /Content-Length[^\n]*?(\d+)/g, '1g'],
  ] as const
  test.each(bodyLimits)('%s passes on the largest body that the service takes', (name, limit, byDefault) => {
    const limits = [...read(name).matchAll(limit)].map(([, size = '']) => size)
    for (const size of limits.length === 0 ? [byDefault] : limits) expect(bytesIn(size)).toBeGreaterThanOrEqual(maxBody)
  })

  test('every proxy in deploy/ is among them', () => {
    const proxies = readdirSync(DEPLOY).filter((name) =>
      /proxy_pass|reverse_proxy|^backend |kind: Ingress/m.test(textIn(name)),
    )
    expect(proxies.sort()).toEqual(bodyLimits.map(([name]) => name).sort())
  })

  const xkey = [...new Bun.Glob('usr/lib/*/varnish/vmods/libvmod_xkey.so').scanSync('/')]
  test.skipIf(lacks('varnishd') || xkey.length === 0)(
    'Varnish: a page is a hit the second time, a problem is not, and a node that lags is passed over',
    async () => {
      const port = freePort()
      const node = (name: string, to: number | undefined) =>
        `backend ${name} { .host = "127.0.0.1"; .port = "${to}"; }\n`
      const example = read('varnish.vcl')
        .replace(/backend node1 \{[^}]*\}/, node('node1', lagging.port) + node('node2', service.port))
        .replace('nodes.add_backend(node1);', 'nodes.add_backend(node1); nodes.add_backend(node2);')
      const path = join(scratch.path, 'varnish.vcl')
      writeFileSync(path, example)
      const varnish = ['varnishd', '-F', '-n', join(scratch.path, 'varnish'), '-a', `127.0.0.1:${port}`, '-f', path]
      await using running = await proxy(varnish, `http://127.0.0.1:${port}`)
      const passed = async (target: string) => (await running.fetch(target)).headers.get('X-Varnish')?.includes(' ')
      expect([await passed('/api/v1/paises'), await passed('/api/v1/paises')]).toEqual([false, true])
      const gone = `/api/v2/paises?release=${'0'.repeat(64)}`
      expect([await passed(gone), await passed(gone)]).toEqual([false, false])
      expect(await statusesOf(running)).toEqual(allGood)
      expect(await running.postRows()).toEqual([200, 10_000])
    },
  )

  test.skipIf(lacks('caddy'))(
    'Caddy: links have its name and scheme, and a node that lags is passed over',
    async () => {
      const port = freePort()
      const env = {
        UPSTREAM: `127.0.0.1:${lagging.port} 127.0.0.1:${service.port}`,
        HOME: scratch.path,
        XDG_CONFIG_HOME: scratch.path,
        XDG_DATA_HOME: scratch.path,
      }
      expect(
        (await tried(['caddy', 'validate', '--adapter', 'caddyfile', '--config', join(DEPLOY, 'Caddyfile')], { env }))
          .code,
      ).toBe(0)
      const path = join(scratch.path, 'Caddyfile')
      // Without the listener for its own operators, which would be on a fixed port.
      writeFileSync(path, `{\n\tadmin off\n}\n${read('Caddyfile')}`)
      const site = `http://127.0.0.1:${port}`
      const caddy = ['caddy', 'run', '--adapter', 'caddyfile', '--config', path]
      await using running = await proxy(caddy, site, { ...env, SITE: site })
      const page = await running.fetch('/api/v1/paises')
      expect([page.status, page.headers.get('X-Total')]).toEqual([200, String(jumbled.pais?.length)])
      expect(page.headers.get('Link')).toStartWith(`<${site}/api/v1/paises?`)
      expect(await statusesOf(running)).toEqual(allGood)
      expect(await running.postRows()).toEqual([200, 10_000])
    },
  )
})

/** The kernel ignores a signal for the first process of a container, unless that process handles it. */
test.skipIf(!canUnshare)('the first process of a container ends at SIGTERM, even before it serves', async () => {
  using home = new TestDirectory()
  const flags = ['--home', home.path, '--port', '0', '--shelf', 'postgres://127.0.0.1:1/none']
  const command = ['unshare', '--pid', '--fork', '--kill-child', ...PROGRAM, 'serve', ...flags]
  await using child = Bun.spawn(command, { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    log += text
    if (log.includes('waiting for the first one from the shelf')) break
  }
  for (const pid of childrenOf(child.pid)) process.kill(pid, 'SIGTERM')
  expect(await child.exited).toBe(143)
})

describe('Kubernetes', () => {
  type Probe = { readonly httpGet: { readonly path: string; readonly port: string } }
  type Container = Record<'readinessProbe' | 'livenessProbe', Probe> & {
    readonly image: string
    readonly args: readonly string[]
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  } & Record<string, unknown>
  type Pod = {
    readonly containers: readonly [Container]
    readonly volumes: readonly { readonly name: string }[]
    readonly securityContext: unknown
  }
  const documents = Bun.YAML.parse(read('kubernetes.yaml')) as { kind: string; spec: Record<string, unknown> }[]
  const specOf = (kind: string) => documents.find((one) => one.kind === kind)?.spec as Record<string, never>
  const pod = (specOf('Deployment').template as unknown as { spec: Pod }).spec
  const [container] = pod.containers

  test('has what a service needs, all under one label', () => {
    expect(documents.map(({ kind }) => kind)).toEqual([
      'Deployment',
      'Service',
      'PodDisruptionBudget',
      'NetworkPolicy',
      'Ingress',
    ])
    const label = { 'app.kubernetes.io/name': 'nomenclator' }
    expect(specOf('Deployment')).toMatchObject({
      selector: { matchLabels: label },
      template: { metadata: { labels: label } },
    })
    expect(specOf('Service')).toMatchObject({ selector: label })
  })

  test('lets pods follow a shelf, by flags that the program has and with files that are mounted', async () => {
    const command = commands.find(({ name }) => name === container.args[0])
    const [, ...flags] = container.args
    const values = Object.fromEntries(
      flags.flatMap((flag, at) => (at % 2 === 0 ? [[flag.slice(2), flags[at + 1]]] : [])),
    )
    expect(Object.keys(values)).toEqual(['shelf', 'shelf-password-file'])
    expect(Object.keys(command?.flags ?? {})).toContainValues(Object.keys(values))
    const address = parseShelfAddress(values.shelf ?? '')
    if ('allowed' in address) throw new Error(address.allowed)
    expect([address.ssl.mode, address.password]).toEqual(['verify-full', undefined])
    const shelf = container.volumeMounts.find(({ name }) => name === 'shelf')?.mountPath
    expect([address.ssl.rootCert, values['shelf-password-file']]).toEqual([`${shelf}/ca.crt`, `${shelf}/password`])
    for (const file of ['ca.crt', 'password']) expect(read('kubernetes.yaml')).toContain(`--from-file=${file}`)
  })

  test('probes the listener for operators, writes to its volumes only, and has no rights', () => {
    expect(container.image).toBe(`nomenclator:${version}`)
    expect(container.ports.map(({ name }) => name)).toEqual(['http', 'admin'])
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'admin' })
    expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'admin' })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 })
    expect(container.volumeMounts.map(({ name }) => name).sort()).toEqual(pod.volumes.map(({ name }) => name).sort())
  })
})

test('scripts of the Debian package are executable and can be read by sh', async () => {
  mkdirSync(join(scratch.path, 'debian'), { recursive: true })
  for (const name of readdirSync(join(DEPLOY, 'debian')).filter((one) => /^(pre|post)/.test(one))) {
    expect(statSync(join(DEPLOY, 'debian', name)).mode & 0o111).not.toBe(0)
    expect(await tried(['sh', '-n', join(DEPLOY, 'debian', name)])).toEqual({ code: 0, text: '' })
  }
})
