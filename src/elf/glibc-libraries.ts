/**
 * Libraries that glibc itself consists of: they come with the image, never with an interpreter, since all of a
 * process must be of one build. Debian's libc6 (2.36); libnsl.so.1, which is glibc's where it still exists; and
 * libcrypt.so.1, which was glibc's up to 2.37, and which every Debian and Ubuntu has because it logs users in.
 */
const names: ReadonlySet<string> = new Set([
  'ld-linux-aarch64.so.1',
  'ld-linux-x86-64.so.2',
  'libBrokenLocale.so.1',
  'libanl.so.1',
  'libc.so.6',
  'libcrypt.so.1',
  'libdl.so.2',
  'libm.so.6',
  'libmvec.so.1',
  'libnsl.so.1',
  'libpthread.so.0',
  'libresolv.so.2',
  'librt.so.1',
  'libthread_db.so.1',
  'libutil.so.1',
])

/** Of a name as DT_NEEDED has it. */
export function isOfGlibc(name: string): boolean {
  return names.has(name)
}
