// An error whose message is meant for the person at the terminal and says what to do next.

export class Failure extends Error {}
