/**
 * The one modification time of every file in the store, in seconds: 1980-01-01T00:00:00Z, the earliest a zip archive
 * can hold. Bytecode names its source's time and size (PEP 552), so one fixed time makes it the same everywhere.
 */
export const STORE_MTIME = 315_532_800
