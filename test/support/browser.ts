// A real Chromium for tests: wherever this machine has one, or else the one that npm or Debian brings.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome', 'headless_shell']

/** In the environment: the path of the browser to use. */
export const CHROMIUM_VARIABLE = 'CHROMIUM_PATH'

export const HOW_TO_GET_ONE =
  'no Chromium runs here, so the tests of the pages in a browser are skipped: install one, or name it with CHROMIUM_PATH'

/** The path of an executable; undefined where there is none to be had. */
async function executable(): Promise<string | undefined> {
  const named = process.env[CHROMIUM_VARIABLE]
  if (named !== undefined && named !== '') {
    if (!existsSync(named)) throw new Error(`${CHROMIUM_VARIABLE} is ${named}, which is not there`)
    return named
  }
  return onPath() ?? (await fromNpm()) ?? fromDebian()
}

const onPath = (): string | undefined => NAMES.flatMap((name) => Bun.which(name) ?? [])[0]

/** The package has a build for this processor only. It is unpacked to the directory for temporary files once. */
async function fromNpm(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const { default: packaged } = await import('@sparticuz/chromium')
  return packaged.executablePath()
}

const APT_MILLISECONDS = 240_000

function fromDebian(): string | undefined {
  if (process.getuid?.() !== 0 || Bun.which('apt-get') === null) return undefined
  const apt = (...words: string[]) =>
    Bun.spawnSync(['apt-get', '-qq', ...words], {
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: APT_MILLISECONDS,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).success
  const isInstalled = apt('install', '--yes', '--no-install-recommends', 'chromium')
  if (!isInstalled && !(apt('update') && apt('install', '--yes', '--no-install-recommends', 'chromium')))
    return undefined
  return onPath()
}

/** A page may be opened by root in a container, where the sandbox of the browser cannot work. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none']

async function launched(): Promise<Browser | undefined> {
  try {
    const executablePath = await executable()
    if (executablePath !== undefined) return await chromium.launch({ executablePath, args: ARGUMENTS })
  } catch (error) {
    // Libraries may be missing that the browser of the package needs; Debian's brings them.
    const installed = process.env[CHROMIUM_VARIABLE] ? undefined : fromDebian()
    if (installed === undefined) throw error
    return chromium.launch({ executablePath: installed, args: ARGUMENTS })
  }
  return undefined
}

/** Undefined where there is none: then tests are skipped, except under CI, where that is a failure. */
export async function launchBrowser(): Promise<Browser | undefined> {
  const isRequired = process.env.CI === 'true'
  try {
    const browser = await launched()
    if (browser !== undefined) return browser
    if (isRequired) throw new Error(HOW_TO_GET_ONE)
    console.log(HOW_TO_GET_ONE)
  } catch (error) {
    if (isRequired) throw error
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    console.log(`${HOW_TO_GET_ONE} (${reason})`)
  }
  return undefined
}
