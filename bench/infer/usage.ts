// What the benchmark of the inference is called with.
export const INFER_USAGE = `npm run bench:infer -- [--lists FOLDER…] [--faults] [--write]
  --lists   labelled lists besides those under bench/infer/lists
  --faults  prints what is not right of lists that were left out
  --write   replaces the weights that ship by those that were fitted`
