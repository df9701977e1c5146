package quickjs

// function is an exported function of the engine.
type function int

// The functions of the engine that this package uses. Functions whose names begin with fnIs
// never run code of the script.
const (
	fnInitialize function = iota
	fnInit
	fnSetMemoryLimit
	fnSetStackSize
	fnSetInterruptHandler
	fnSetRejectionHandler
	fnSetModuleLoader
	fnRuntimePointer
	fnContextPointer
	fnMalloc
	fnFree
	fnCollect
	fnMemoryUsage
	fnEval
	fnCall
	fnIsJobPending
	fnExecuteJob
	fnPromiseState
	fnPromiseResult
	fnPromiseHandled
	fnNewString
	fnNewNumber
	fnNewObject
	fnNewBytes
	fnNewError
	fnNewFunction
	fnUndefined
	fnTrue
	fnDuplicate
	fnFreeValue
	fnNumber
	fnText
	fnFreeText
	fnIsException
	fnIsString
	fnIsProxy
	fnClassName
	fnProxyTarget
	fnValuePointer
	fnTypedArrayBuffer
	fnArrayBuffer
	fnGet
	fnSet
	fnException
	fnThrow
	fnParseJSON
	fnThreshold
	fnSetThreshold
	functionCount
)

var functionNames = [functionCount]string{
	fnInitialize:          "_initialize",
	fnInit:                "qjs_init",
	fnSetMemoryLimit:      "qjs_set_memory_limit",
	fnSetStackSize:        "qjs_set_max_stack_size",
	fnSetInterruptHandler: "qjs_set_interrupt_handler",
	fnSetRejectionHandler: "qjs_set_promise_rejection_handler",
	fnSetModuleLoader:     "qjs_set_module_loader",
	fnRuntimePointer:      "qjs_get_runtime_ptr",
	fnContextPointer:      "qjs_get_context_ptr",
	fnMalloc:              "wasm_malloc",
	fnFree:                "wasm_free",
	fnCollect:             "qjs_run_gc",
	fnMemoryUsage:         "qjs_compute_memory_usage",
	fnEval:                "qjs_eval",
	fnCall:                "qjs_call",
	fnIsJobPending:        "qjs_is_job_pending",
	fnExecuteJob:          "qjs_execute_pending_job",
	fnPromiseState:        "qjs_promise_state",
	fnPromiseResult:       "qjs_promise_result",
	fnPromiseHandled:      "qjs_promise_mark_as_handled",
	fnNewString:           "qjs_new_string",
	fnNewNumber:           "qjs_new_number",
	fnNewObject:           "qjs_new_object",
	fnNewBytes:            "qjs_new_uint8_array",
	fnNewError:            "qjs_new_error",
	fnNewFunction:         "qjs_new_host_function",
	fnUndefined:           "qjs_get_undefined",
	fnTrue:                "qjs_get_true",
	fnDuplicate:           "qjs_dup_value",
	fnFreeValue:           "qjs_free_value",
	fnNumber:              "qjs_get_float64",
	fnText:                "qjs_get_string_len",
	fnFreeText:            "qjs_free_cstring",
	fnIsException:         "qjs_is_exception",
	fnIsString:            "qjs_is_string",
	fnIsProxy:             "qjs_is_proxy",
	fnClassName:           "qjs_get_class_name",
	fnProxyTarget:         "qjs_get_proxy_target",
	fnValuePointer:        "qjs_get_value_ptr",
	fnTypedArrayBuffer:    "qjs_get_typed_array_buffer",
	fnArrayBuffer:         "qjs_get_array_buffer",
	fnGet:                 "qjs_get_prop_string",
	fnSet:                 "qjs_set_prop_string",
	fnException:           "qjs_get_exception",
	fnThrow:               "qjs_throw",
	fnParseJSON:           "JS_ParseJSON",
	fnThreshold:           "qjs_get_gc_threshold",
	fnSetThreshold:        "qjs_set_gc_threshold",
}

// Flags of fnEval.
const (
	evalScript = 0
	evalModule = 1
)

// States of a settled promise.
const (
	promiseFulfilled = 1
	promiseRejected  = 2
)
