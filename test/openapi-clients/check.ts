// Checks the OpenAPI document as its users would: two linters, and three generators whose clients must compile under
// strict TypeScript and work against the real server.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestHome } from '../support/releases.ts'
import { Service } from '../support/service.ts'

const HERE = import.meta.dir
/** Where nothing is kept under version control, and nothing is linted. */
const GENERATED = join(HERE, '..', '..', 'var', 'openapi-clients')
const DOCUMENT = join(GENERATED, 'openapi.json')
const MAX_WARNINGS = 9

const bin = (name: string) => join(HERE, 'node_modules', '.bin', name)

/** A check that does not hold; thrown, so that the server is stopped on the way out. */
class CheckFailed extends Error {}

async function run(what: string, command: readonly string[], { canFail = false } = {}): Promise<string> {
  const child = Bun.spawn([...command], { cwd: HERE, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0 && !canFail) throw new CheckFailed(`${out}${err}\n${what} failed`)
  return out
}

/** Installs the tools when they are missing or their lock file has changed. */
async function install(): Promise<void> {
  const [lock, stamp] = [join(HERE, 'package-lock.json'), join(HERE, 'node_modules', '.installed-lock')]
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8')) return
  console.log('installing the generators and linters')
  await run('npm ci', ['npm', 'ci', '--ignore-scripts', '--loglevel=error'])
  copyFileSync(lock, stamp)
}

type Finding = { readonly rule: string; readonly message: string; readonly isError: boolean }

function judge(linter: string, findings: readonly Finding[]): void {
  const errors = findings.filter(({ isError }) => isError).length
  const warnings = findings.length - errors
  const listed = findings.map(({ rule, message }) => `  ${rule}: ${message}`).join('\n')
  console.log([`${linter}: ${errors} errors, ${warnings} warnings`, listed].join('\n').trimEnd())
  if (errors > 0) throw new CheckFailed(`${linter} finds errors in the document`)
  if (warnings > MAX_WARNINGS) throw new CheckFailed(`${linter} has more than ${MAX_WARNINGS} warnings`)
}

/** A linter ends with a failure when it has found something, so only what it prints counts. */
async function lint(): Promise<void> {
  const redocly = await run(
    'redocly',
    [bin('redocly'), 'lint', '--extends=recommended', '--format=json', '--max-problems=1000', DOCUMENT],
    { canFail: true },
  )
  const { problems } = JSON.parse(redocly) as {
    readonly problems: readonly { readonly ruleId: string; readonly message: string; readonly severity: string }[]
  }
  judge(
    'redocly',
    problems.map(({ ruleId, message, severity }) => ({ rule: ruleId, message, isError: severity === 'error' })),
  )
  const ruleset = join(GENERATED, 'spectral.json')
  writeFileSync(ruleset, JSON.stringify({ extends: ['spectral:oas'] }))
  const spectral = await run(
    'spectral',
    [bin('spectral'), 'lint', '--quiet', '--format=json', `--ruleset=${ruleset}`, DOCUMENT],
    { canFail: true },
  )
  const results = JSON.parse(spectral) as readonly {
    readonly code: string
    readonly message: string
    readonly severity: number
  }[]
  judge(
    'spectral',
    results.map(({ code, message, severity }) => ({ rule: code, message, isError: severity === 0 })),
  )
}

async function generate(): Promise<void> {
  const types = join(GENERATED, 'openapi-typescript.ts')
  await run('openapi-typescript', [bin('openapi-typescript'), DOCUMENT, '--output', types])
  await run('@hey-api/openapi-ts', [bin('openapi-ts'), '--input', DOCUMENT, '--output', join(GENERATED, 'hey-api')])
  const target = join(GENERATED, 'orval.ts')
  const output = { target, client: 'fetch', mode: 'single', baseUrl: { getBaseUrlFromSpecification: true } }
  const config = join(GENERATED, 'orval.config.mjs')
  writeFileSync(config, `export default ${JSON.stringify({ client: { input: DOCUMENT, output } })}\n`)
  await run('orval', [bin('orval'), '--config', config])
}

async function check(): Promise<void> {
  rmSync(GENERATED, { recursive: true, force: true })
  mkdirSync(GENERATED, { recursive: true })
  await install()
  using home = new TestHome()
  await using service = await Service.over(home, { flags: ['--workers', '1'] })
  const document = await (await fetch(`${service.url}/api/openapi.json`)).text()
  writeFileSync(DOCUMENT, document)
  console.log(`the document has ${document.length} characters`)
  await lint()
  await generate()
  await run('the TypeScript compiler over the programs and the generated clients', [bin('tsc'), '--project', HERE])
  for (const program of ['openapi-fetch', 'orval', 'hey-api']) {
    await run(`the program over ${program}`, [process.execPath, join(HERE, 'programs', `${program}.ts`)])
    console.log(`${program}: compiles, and works against the server`)
  }
}

try {
  await check()
} catch (error) {
  if (!(error instanceof CheckFailed)) throw error
  console.error(`check:openapi: ${error.message}`)
  process.exitCode = 1
}
