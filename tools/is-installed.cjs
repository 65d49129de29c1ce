// Succeeds where node_modules has every package of the lock file at its version; with --omit=dev, those that serving needs.
const { readFileSync } = require('node:fs')
const { join } = require('node:path')

const root = join(__dirname, '..')
const json = (path) => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
const omitsDevelopment = process.argv.includes('--omit=dev')

/** Optional packages are for some machines only, and linked ones are folders of this workspace. */
const isNeeded = ([path, { dev, optional, link }]) =>
  path.includes('node_modules/') && !optional && !link && !(dev && omitsDevelopment)

function isThere([path, { version }]) {
  try {
    return json(path).version === version
  } catch {
    return false
  }
}

process.exit(Object.entries(packages).filter(isNeeded).every(isThere) ? 0 : 1)
