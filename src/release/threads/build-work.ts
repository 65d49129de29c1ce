// A thread that builds one part of one entity after the other.
import { entities } from '../../catalog/entities.ts'
import { forceGcAfter } from '../force-gc.ts'
import { type BuiltFiles, type PartBuild, partBuild } from '../parts.ts'
import type { BuildWork } from './build-threads.ts'
import { work } from './work.ts'

let build: PartBuild | undefined
let batches = 0

work((message: BuildWork): BuiltFiles => {
  if ('begin' in message) build = partBuild(message.part, entities[message.begin], message.order)
  else if ('batch' in message) {
    build?.add(message.batch)
    forceGcAfter(++batches)
  } else if (build !== undefined) return build.finish()
  return {}
})
