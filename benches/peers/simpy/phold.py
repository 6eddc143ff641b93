"""PHOLD on SimPy: one event object per token, passed on by its callback.

Usage: phold.py ACTORS UNTIL_S REMOTE LOOKAHEAD_S MEAN_S SEED. Prints one line: events, seconds for
starting and running, processor seconds for the same, peak resident bytes.

Callbacks instead of generator processes, since they are the faster way to use SimPy.
"""

import math
import random
import resource
import sys
import time

import simpy


def main():
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    actors, until_s, remote, lookahead_s, mean_s, seed = map(float, sys.argv[1:])
    actors = int(actors)

    environment = simpy.Environment()
    draw = random.Random(int(seed)).random
    log = math.log
    handled = [0] * actors
    timeout = environment.timeout

    def pass_on(node):
        target = int(draw() * actors) if draw() < remote else node
        delay = lookahead_s - log(1.0 - draw()) * mean_s
        timeout(delay, target).callbacks.append(receive)

    def receive(token):
        node = token.value
        handled[node] += 1
        pass_on(node)

    began, cpu_began = time.perf_counter(), time.process_time()
    for node in range(actors):
        pass_on(node)
    environment.run(until=until_s)
    wall_s, cpu_s = time.perf_counter() - began, time.process_time() - cpu_began
    peak_bytes = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{sum(handled)} {wall_s:.6f} {cpu_s:.6f} {peak_bytes}")


if __name__ == "__main__":
    main()
