/** The caller's signal; where there is none, one that is never aborted. */
export function signalOf({ signal }: { readonly signal?: AbortSignal | undefined }): AbortSignal {
  return signal ?? new AbortController().signal
}
