// How far a run is, on a terminal; nothing in a pipe.

export function progress(title: string): {
  readonly show: (done: number, all: number) => void
  readonly end: () => void
} {
  const watched = process.stderr.isTTY === true
  return {
    show: (done, all) => {
      if (watched) process.stderr.write(`\r\x1b[2K${title}: ${done} of ${all}`)
    },
    end: () => {
      if (watched) process.stderr.write('\r\x1b[2K')
    },
  }
}
