// The thread that builds indexes.
import { entities } from '../../catalog/entities.ts'
import type { FileFacts } from '../durable-file.ts'
import { IndexBuild } from '../index/index-build.ts'
import type { IndexWork } from './index-thread.ts'
import { work } from './work.ts'

let build: IndexBuild | undefined

work((message: IndexWork): FileFacts | undefined => {
  if ('begin' in message) build = new IndexBuild(entities[message.begin], message.positions, message.expected)
  else if ('batch' in message) build?.add(message.batch)
  else return build?.write(message.path)
  return undefined
})
