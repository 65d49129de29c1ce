// The changes from one release to another, in one response, for clients that keep a copy.
import { type Identity, partsOf } from '../../catalog/entity.ts'
import { codeMembers } from '../../query/formats/selection.ts'
import { changeJson, diffJson } from '../../release/diff.ts'
import type { Release } from '../../release/release.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { cachedResponse, type Making } from './cached-response.ts'
import type { ChangesRequest } from './request/changes-request.ts'
import type { ChosenRelease } from './response.ts'

export function changesResponse(
  making: Making,
  request: HttpRequest,
  older: Release,
  chosen: ChosenRelease,
  changes: ChangesRequest,
): HttpResponse | Promise<HttpResponse> {
  const { entities, embed, format, encoding } = changes
  const newer = chosen.release
  const madeFrom = [older.digest, newer.digest]
  const pieces = () => (format === 'json' ? document : lines)(older, newer, changes)
  return cachedResponse(
    making,
    request,
    chosen,
    { format, encoding },
    {
      key: ['changes', ...madeFrom, format, embed, ...entities.map(({ name }) => name)],
      madeFrom,
      minLength: 0,
      pieces,
    },
  )
}

const NOTHING = new Uint8Array()
const LINE_END = Buffer.from('\n')

type Compared = Pick<ChangesRequest, 'entities' | 'embed'>

/** The JSON of each change in pieces; an empty list for a step that found none. */
function* changesIn(older: Release, newer: Release, compared: Compared): Generator<readonly Uint8Array[]> {
  const { entities, embed } = compared
  for (const { name, plural } of entities) {
    const adders = [older, newer].map((release) => codeAdder(release, name))
    const [before, after] = adders as [CodeAdder, CodeAdder]
    for (const change of diffJson(older, newer, name, { embed })) {
      if (change === undefined) yield []
      else {
        const old = change.old && before(change.old, change.oldAt)
        yield changeJson(plural, { key: keyOf(change.key), old, new: change.new && after(change.new, change.newAt) })
      }
    }
  }
}

type CodeAdder = (json: Uint8Array, position: number) => Uint8Array

/** Adds the official codes of a record, unless the release does not have the list. */
function codeAdder(release: Release, name: string): CodeAdder {
  const entity = release.catalog.entities.get(name)
  return (entity && codeMembers(release, entity)) ?? ((json) => json)
}

/** Several values in one field of a key, as those of an embedded record with such a key, become a list. */
const keyOf = (key: Readonly<Record<string, Identity>>) =>
  Object.fromEntries(
    Object.entries(key).map(([field, identity]) => {
      const parts = partsOf(identity)
      return [field, parts.length === 1 ? identity : parts]
    }),
  ) as typeof key

function* lines(older: Release, newer: Release, compared: Compared): Generator<Uint8Array> {
  for (const pieces of changesIn(older, newer, compared)) {
    yield* pieces
    yield pieces.length === 0 ? NOTHING : LINE_END
  }
}

function* document(older: Release, newer: Release, compared: Compared): Generator<Uint8Array> {
  const head = JSON.stringify({ from: older.digest, to: newer.digest })
  yield Buffer.from(`${head.slice(0, -1)},"changes":[`)
  let separator: Uint8Array = NOTHING
  for (const pieces of changesIn(older, newer, compared)) {
    yield pieces.length === 0 ? NOTHING : separator
    yield* pieces
    if (pieces.length > 0) separator = COMMA
  }
  yield Buffer.from(']}')
}

const COMMA = Buffer.from(',')
