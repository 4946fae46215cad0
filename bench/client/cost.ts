// What one run of one workload cost a subject.

export type Cost = {
  readonly wallMs: number;
  /** Processor time of the process: all threads, garbage collection included. */
  readonly cpuMs: number;
  /** The peak of the process's resident memory, its start included. */
  readonly peakMb: number;
  /** The longest time in which the event loop could not turn. */
  readonly blockMs: number;
  readonly connections: number;
};
