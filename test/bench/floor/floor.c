/*
 * The least that assembling an environment can take: `floor PLAN FOLDER` makes FOLDER and, in it, the directories
 * and hard links of the plan, with two threads. Lines of the plan:
 *
 *     d <path>                  a directory, after those it lies in
 *     l <existing path>\t<path> a hard link
 *
 * Paths are relative to FOLDER; existing ones are absolute. Threads share the directories of one depth, then wait for
 * each other.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 2, MOST = 1 << 22, DEEPEST = 1 << 10 };

static char *directories[MOST], *existing[MOST], *names[MOST];
static long directoryCount, linkCount;
static long levelEnds[DEEPEST];
static int levelCount;
static pthread_barrier_t levelDone;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int depthOf(const char *path) {
  int depth = 0;
  while ((path = strchr(path, '/'))) depth++, path++;
  return depth;
}

/* Directories come sorted by depth. */
static void readPlan(const char *file) {
  FILE *plan = fopen(file, "r");
  if (!plan) fail(file);
  char *line = NULL;
  size_t capacity = 0;
  int depth = 0;
  while (getline(&line, &capacity, plan) > 0) {
    line[strcspn(line, "\n")] = 0;
    if (directoryCount == MOST || linkCount == MOST) exit(2);
    if (line[0] == 'd') {
      char *path = directories[directoryCount] = strdup(line + 2);
      if (directoryCount == 0 || depthOf(path) != depth) levelCount++;
      if (levelCount == DEEPEST) exit(2);
      depth = depthOf(path);
      levelEnds[levelCount] = ++directoryCount;
    } else {
      char *tab = strchr(line, '\t');
      if (!tab) exit(2);
      *tab = 0;
      existing[linkCount] = strdup(line + 2);
      names[linkCount++] = strdup(tab + 1);
    }
  }
}

/* Only the empty file has so many links that there can be no more of them (EMLINK): a new one costs about as much. */
static void makeEmpty(const char *path) {
  if (errno != EMLINK) fail(path);
  int file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0444);
  if (file < 0 || close(file)) fail(path);
}

static void *work(void *argument) {
  long thread = (long)argument;
  for (int level = 1; level <= levelCount; level++) {
    long from = levelEnds[level - 1], count = levelEnds[level] - from;
    long end = from + count * (thread + 1) / THREADS;
    for (long i = from + count * thread / THREADS; i < end; i++)
      if (mkdir(directories[i], 0755)) fail(directories[i]);
    pthread_barrier_wait(&levelDone);
  }
  long end = linkCount * (thread + 1) / THREADS;
  for (long i = linkCount * thread / THREADS; i < end; i++)
    if (link(existing[i], names[i])) makeEmpty(names[i]);
  return NULL;
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  readPlan(arguments[1]);
  if (mkdir(arguments[2], 0755) || chdir(arguments[2])) fail(arguments[2]);
  pthread_t threads[THREADS];
  pthread_barrier_init(&levelDone, NULL, THREADS);
  for (long i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, work, (void *)i)) fail("pthread_create");
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  return 0;
}
