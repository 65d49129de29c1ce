// Reads a Data Package with a library of others and prints each resource as a line of JSON: its name, and its rows as objects.
import datapackage from 'datapackage'

const [descriptor] = process.argv.slice(2)
const read = await datapackage.Package.load(descriptor)
if (!read.valid) throw new Error(read.errors.join('\n'))
for (const resource of read.resources) {
  const rows = await resource.read({ keyed: true })
  process.stdout.write(`${JSON.stringify({ name: resource.name, rows })}\n`)
}
