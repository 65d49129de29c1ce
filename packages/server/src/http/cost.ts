// The cost of a request, in microseconds of processor time: it decides which kind of worker responds.

/** A request that costs no more is answered by the worker that received it: about four plain pages of API v2, measured on two cores. */
export const PAGE_WORTH = 500

/** The cost of requests that are for compute workers whatever they hold: bodies, searches, pages for people. */
export const MUCH = Number.POSITIVE_INFINITY
