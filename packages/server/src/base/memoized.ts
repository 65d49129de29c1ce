// Computes what follows from an object once, and keeps it for as long as the object lives.

/** Computes once for each object. An undefined result is kept too. */
export function memoized<K extends object, V>(compute: (key: K) => V): (key: K) => V
/** The other argument must follow from the object, since only the first call has it. */
export function memoized<K extends object, A, V>(compute: (key: K, other: A) => V): (key: K, other: A) => V
export function memoized<K extends object, V>(compute: (key: K, other?: unknown) => V): (key: K, other?: unknown) => V {
  const results = new WeakMap<K, V>()
  return (key, other) => {
    const cached = results.get(key)
    if (cached !== undefined || results.has(key)) return cached as V
    const result = compute(key, other)
    results.set(key, result)
    return result
  }
}
