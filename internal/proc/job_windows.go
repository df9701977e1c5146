package proc

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A Job contains a process and its descendants. Windows ends them all when the Job is closed, or when the
// process that has created the Job ends for any reason.
type Job struct{ handle windows.Handle }

// JobLimits bound the processes of a Job. A field that is 0 sets no limit.
type JobLimits struct {
	Processes uint32  // at one time
	Memory    uintptr // bytes that each process may commit
}

// StartInJob starts a command in a new Job. The process is suspended until it is in the Job, so that all of
// its descendants are in the Job too.
func StartInJob(cmd *exec.Cmd, limits JobLimits) (*Job, error) {
	job, err := newJob(limits)
	if err != nil {
		return nil, err
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_SUSPENDED
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, job.Close())
	}
	if err := job.release(cmd); err != nil {
		_ = cmd.Process.Kill() // it has not run
		_ = cmd.Wait()         // reap it
		return nil, errors.Join(err, job.Close())
	}
	return job, nil
}

func newJob(limits JobLimits) (*Job, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("CreateJobObject: %w", err)
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
	if limits.Processes > 0 {
		info.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
		info.BasicLimitInformation.ActiveProcessLimit = limits.Processes
	}
	if limits.Memory > 0 {
		info.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY
		info.ProcessMemoryLimit = limits.Memory
	}
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("SetInformationJobObject: %w", err), windows.CloseHandle(handle))
	}
	return &Job{handle}, nil
}

// release puts a suspended process into the job and lets it run.
func (j *Job) release(cmd *exec.Cmd) error {
	var assigned error
	if err := cmd.Process.WithHandle(func(process uintptr) {
		assigned = windows.AssignProcessToJobObject(j.handle, windows.Handle(process))
	}); err != nil {
		return err
	}
	if assigned != nil {
		return fmt.Errorf("AssignProcessToJobObject: %w", assigned)
	}
	return resume(uint32(cmd.Process.Pid))
}

// resume resumes the only thread of a suspended process. Package os has closed the handle of the thread, so
// resume looks it up.
func resume(pid uint32) error {
	threads, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("list the threads: %w", err)
	}
	defer func() { _ = windows.CloseHandle(threads) }()
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(threads, &entry); err == nil; err = windows.Thread32Next(threads, &entry) {
		if entry.OwnerProcessID == pid {
			return resumeThread(entry.ThreadID)
		}
	}
	return fmt.Errorf("the new process %d has no thread: %w", pid, err)
}

func resumeThread(id uint32) error {
	thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, id)
	if err != nil {
		return fmt.Errorf("OpenThread: %w", err)
	}
	defer func() { _ = windows.CloseHandle(thread) }()
	if _, err := windows.ResumeThread(thread); err != nil {
		return fmt.Errorf("ResumeThread: %w", err)
	}
	return nil
}

// Kill ends all processes of the job.
func (j *Job) Kill() { _ = windows.TerminateJobObject(j.handle, 1) } // fails after Close

// Close ends the processes that are left. Do not call Kill after Close.
func (j *Job) Close() error { return windows.CloseHandle(j.handle) }
