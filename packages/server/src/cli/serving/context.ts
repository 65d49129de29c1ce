// The context of every step of a service: its flags, its log and its terminal.
import type { Log } from '../../base/log.ts'
import type { Terminal } from '../command.ts'
import type { ServeValues } from '../flags/serve-flags.ts'

export type Context = { readonly values: ServeValues; readonly log: Log; readonly terminal: Terminal }
