// The JSON Schema of a package with properties of ours, which editors and other programs read.
import { readFileSync } from 'node:fs'
import { shippedFile } from '../../base/program.ts'

/** The file with the profile, which descriptors that are written here have beside them. */
export const PROFILE_FILE = 'nomenclator.schema.json'
/** How such a descriptor names it: editors take for a path what begins with a point. */
export const PROFILE_REFERENCE = `./${PROFILE_FILE}`
/** The profile that ours extends: what there is to name where no file can stand beside a descriptor. */
export const STANDARD_PROFILE = 'https://datapackage.org/profiles/2.0/datapackage.json'

/** The JSON Schema of a package: the standard, and properties of ours. */
export const profileText = (): string => readFileSync(shippedFile(`data/${PROFILE_FILE}`), 'utf8')
