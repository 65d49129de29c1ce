// Data packages that tests write: a few files in a directory, and all that is read from them.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rowChecker } from '../../packages/server/src/catalog/check.ts'
import { Faults } from '../../packages/server/src/source/faults.ts'
import { Findings } from '../../packages/server/src/source/findings.ts'
import type { PackageOptions } from '../../packages/server/src/source/package/examined.ts'
import { openPackage } from '../../packages/server/src/source/package/open-package.ts'
import type { GivenRow } from '../../packages/server/src/source/source.ts'
import { TestDirectory } from './releases.ts'

type Field = Readonly<Record<string, unknown>> & { readonly name: string }
type Schema = Readonly<Record<string, unknown>>

/** A resource of CSV with its schema. */
export const table = (name: string, fields: readonly Field[], more: Schema = {}, resource: Schema = {}) => ({
  name,
  path: `${name}.csv`,
  ...resource,
  schema: { fields, ...more },
})

/** The content of a package, by the names of its lists. */
export type ReadPackage = {
  readonly rows: Readonly<Record<string, readonly GivenRow[]>>
  readonly lines: Readonly<Record<string, readonly number[]>>
  /** The kinds of findings, with their counts. */
  readonly kinds: Readonly<Record<string, number>>
  readonly examples: readonly string[]
  readonly leftOut: Readonly<Record<string, string>>
  readonly source: Awaited<ReturnType<typeof openPackage>>
}

export class PackageDirectory extends TestDirectory {
  put(name: string, content: string | Uint8Array): this {
    const path = join(this.path, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return this
  }

  link(name: string, target: string): this {
    symlinkSync(target, join(this.path, name))
    return this
  }

  /** Writes a descriptor with these resources. */
  describe(...resources: readonly unknown[]): this {
    return this.put('datapackage.json', JSON.stringify({ name: 'test-package', resources }))
  }

  read(options: PackageOptions = {}): Promise<ReadPackage> {
    return readPackage(this.path, options)
  }

  /** The message that refuses the package, without the path of the directory. */
  async refusal(options: PackageOptions & { readonly strict?: boolean } = {}): Promise<string> {
    try {
      await openPackage(this.path, options)
    } catch (error) {
      if (error instanceof Error) return error.message.replaceAll(`${this.path}/`, '').replaceAll(this.path, 'DIR')
      throw error
    }
    throw new Error('the package was not refused')
  }
}

/** Every row that is given must be one that a release takes. */
export async function readPackage(location: string, options: PackageOptions = {}): Promise<ReadPackage> {
  const source = await openPackage(location, options)
  const rows: Record<string, GivenRow[]> = {}
  const lines: Record<string, number[]> = {}
  const report = { faults: new Faults(), findings: new Findings() }
  for (const name of source.provides) {
    const entity = source.catalog.entities.get(name)
    if (entity === undefined) throw new Error(`${name} is not defined`)
    const check = rowChecker(entity)
    rows[name] = []
    lines[name] = []
    for await (const block of source.read(name, report)) {
      rows[name].push(...block.rows)
      lines[name].push(...block.lines)
      for (const row of block.rows)
        for (const fault of check(row)) throw new Error(`${JSON.stringify(row)} is no row: ${JSON.stringify(fault)}`)
    }
  }
  source.close()
  report.faults.throwIfAny()
  const counts = new Map<string, number>()
  for (const { kind, count } of source.findings) counts.set(kind, (counts.get(kind) ?? 0) + count)
  // Findings about names are reported by the command that publishes them.
  const ofNames = ['stray-blanks', 'not-nfc']
  const reported = Object.fromEntries(report.findings.list().map(({ kind, count }) => [kind, count]))
  const expected = Object.fromEntries([...counts].filter(([kind]) => !ofNames.includes(kind)))
  if (!Bun.deepEquals(reported, expected)) throw new Error('an import reports other findings')
  return {
    rows,
    lines,
    kinds: Object.fromEntries(counts),
    examples: source.findings.flatMap(({ examples }) => examples.map((one) => one.replaceAll(`${location}/`, ''))),
    leftOut: Object.fromEntries(
      source.leftOut.map(({ resource, reason }) => [resource, reason.replaceAll(`${location}/`, '')]),
    ),
    source,
  }
}
