/** Version of envd; package.json has the same, held by a test. */
export const VERSION = '0.1.0'
