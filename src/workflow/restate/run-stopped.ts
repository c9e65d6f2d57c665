/**
 * Ends the coroutine of a run from outside; thrown by `next`. cancelled: somebody asked for it · too-long:
 * its time is over · lost: this worker has it no more, and whoever has goes on.
 */
export class RunStopped extends Error {
  readonly reason: 'cancelled' | 'too-long' | 'lost';

  constructor(reason: 'cancelled' | 'too-long' | 'lost') {
    super(`the run was stopped: ${reason}`);
    this.name = 'RunStopped';
    this.reason = reason;
  }
}
