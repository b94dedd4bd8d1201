/** The base image of a task that names none, where it is to run in a container. envd brings it along. */
export const DEFAULT_IMAGE = 'debian-bookworm'
