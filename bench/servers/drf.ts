// Django REST Framework over SQLite, under gunicorn.
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { BASE_URL } from '../load/loads.ts'
import { BENCH, workPath } from '../machine/places.ts'
import { type Contender, versionLine } from './contender.ts'
import type { Pages } from './pages.ts'

/** Debian's packages belong to Debian's Python, whatever other Python is found first. */
const PYTHON = '/usr/bin/python3'
const GUNICORN = '/usr/bin/gunicorn'
const PROJECT = join(BENCH, 'peers', 'drf')

const imports = (module: string): boolean =>
  existsSync(PYTHON) && Bun.spawnSync([PYTHON, '-c', `import ${module}`], { stderr: 'ignore' }).exitCode === 0

const versionOf = (module: string): string =>
  versionLine([PYTHON, '-c', `import ${module}; print(${module}.__version__)`])

const databaseIn = (pages: Pages): string => join(pages.directory, 'localities.sqlite3')

const environment = (pages: Pages, database: string) => ({
  BENCH_DATABASE: database,
  BENCH_PAGES: pages.lines,
  BENCH_BASE_URL: BASE_URL,
  BENCH_LAST_MODIFIED: pages.lastModified,
  DJANGO_SETTINGS_MODULE: 'settings',
  PYTHONPYCACHEPREFIX: workPath('pycache'),
})

/** Loaded once for each copy of the pages. */
function loadDatabase(pages: Pages): void {
  const database = databaseIn(pages)
  if (existsSync(database)) return
  const unfinished = `${database}.new`
  const { exitCode } = Bun.spawnSync([PYTHON, 'load.py'], {
    cwd: PROJECT,
    env: { ...process.env, ...environment(pages, unfinished) },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (exitCode !== 0) throw new Error('loading the localities into the database of Django failed')
  renameSync(unfinished, database)
}

export const drf: Contender = {
  name: 'drf',
  description: 'Django REST Framework over SQLite, under gunicorn',
  missing: () => [
    ...['django', 'rest_framework'].filter((module) => !imports(module)),
    ...(existsSync(GUNICORN) ? [] : ['gunicorn']),
  ],
  version: () =>
    `${versionOf('rest_framework')} on Django ${versionOf('django')}, gunicorn ${versionOf('gunicorn')}, ` +
    `Python ${versionLine([PYTHON, '--version'])}`,
  prepare: async (pages) => {
    loadDatabase(pages)
    return ({ port, workers }) => ({
      command: [
        ...[GUNICORN, 'wsgi:application', '--bind', `127.0.0.1:${port}`, '--workers', String(workers)],
        // Threads are what lets gunicorn keep connections alive.
        ...['--worker-class', 'gthread', '--threads', '4', '--keep-alive', '60'],
      ],
      cwd: PROJECT,
      env: environment(pages, databaseIn(pages)),
    })
  },
}
