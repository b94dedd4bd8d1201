/** The big task, a volume where it is ready (that of the cold build, where there was one), and what a hit answers. */
export async function bigEnvironment(bench) {
  const task = await bench.bigTask()
  if (bench.bigVolume === undefined) {
    bench.say(`preparing ${task.name}`)
    bench.bigVolume = bench.path('big-volume')
    await bench.envd(['prepare', task.name], { ...task, volume: bench.bigVolume })
  }
  const volume = bench.bigVolume
  const { result } = await bench.envdJson(['prepare', task.name], { ...task, volume })
  if (!result.reused) throw new Error(`${task.name} was no hit`)
  return { task, volume, ready: result }
}
