// Bundles packages/verify into one module for Node: the program of its own package, or the command for the package of the server.
import { join } from 'node:path'

const SOURCES = join(import.meta.dir, '..', 'packages', 'verify', 'src')

export const buildVerify = (target: string): Promise<void> =>
  bundle('main.ts', target, 'main.js', '#!/usr/bin/env node')

export const buildVerifyCommand = (target: string): Promise<void> => bundle('command.ts', target, 'verify.js', '')

async function bundle(entry: string, outdir: string, naming: string, banner: string): Promise<void> {
  const entrypoints = [join(SOURCES, entry)]
  const options = { target: 'node', format: 'esm', minify: true } as const
  const { success, logs } = await Bun.build({ entrypoints, outdir, naming, banner, ...options })
  if (!success) throw new AggregateError(logs, `${entry} was not bundled`)
}
