// Labelled lists: tables of which it is known what their columns are, read and profiled as an import does.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Findings } from '../../packages/server/src/source/findings.ts'
import type { Descriptor } from '../../packages/server/src/source/package/descriptor.ts'
import { profileTable, type TableProfile } from '../../packages/server/src/source/package/infer/table-profile.ts'
import { partsIn } from '../../packages/server/src/source/package/read/formats.ts'
import { tableOf } from '../../packages/server/src/source/package/read/rows.ts'
import { local } from '../../packages/server/src/source/package/table.ts'

/**
 * A label a column: K key, N or N:en name (in a language), A alias, D description, C other code, P parent, R:list reference, LAT, LON,
 * PT point, F and T valid from and to, V plain value; `=text` and the like: with this type; a|b: either; a+b: both; ?: not scored.
 */
export type LabelledTable = {
  readonly file: string
  readonly text?: string
  readonly base64?: string
  readonly header: readonly string[]
  readonly labels: readonly string[]
  /** The keys that are right, none where that is not scored; by default the columns with the label K. */
  readonly key?: readonly (readonly string[])[]
  readonly tree?: 'prefix' | 'any'
}

export type LabelledList = {
  readonly name: string
  /** Where the rows are from. */
  readonly source?: string
  readonly files: readonly LabelledTable[]
}

/** A labelled list with its tables profiled. */
export type Case = {
  readonly list: LabelledList
  readonly descriptor: Descriptor
  readonly profiles: ReadonlyMap<string, TableProfile>
}

export const resourceOf = ({ file }: LabelledTable): string => file.replace(/\.[^.]*$/, '').toLowerCase()

/** The lists of files of labels, or of all such files in folders. */
export function labelledLists(paths: readonly string[]): readonly LabelledList[] {
  const files = paths.flatMap((path) =>
    statSync(path).isDirectory()
      ? readdirSync(path)
          .filter((name) => name.endsWith('.json'))
          .sort()
          .map((name) => join(path, name))
      : [path],
  )
  return files.flatMap((file) => {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return Array.isArray(parsed) ? (parsed as LabelledList[]) : []
  })
}

export async function caseOf(list: LabelledList): Promise<Case> {
  const profiles = new Map<string, TableProfile>()
  for (const one of list.files) {
    const bytes = one.text === undefined ? Buffer.from(one.base64 ?? '', 'base64') : Buffer.from(one.text)
    const file = {
      file: one.file,
      open: async function* () {
        yield bytes
      },
    }
    const table = await tableOf(await partsIn(file, local), {}, new Findings())
    profiles.set(resourceOf(one), await profileTable(table.header, table.rows()))
  }
  const resources = list.files.map((one) => ({ name: resourceOf(one), paths: [one.file], own: new Map() }))
  const descriptor = {
    name: list.name,
    licenses: [],
    sources: [],
    keywords: [],
    contributors: [],
    resources,
    own: new Map(),
  }
  return { list, descriptor, profiles }
}
