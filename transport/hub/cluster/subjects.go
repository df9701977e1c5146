package cluster

// LeaseSubjects returns the subjects that an owner of a lease publishes to and subscribes to. name may
// be "*". Answers arrive at the inbox of the owner's connection.
func LeaseSubjects(bucket, name string) (publish, subscribe []string) {
	stream := "KV_" + bucket
	return []string{
		"$JS.API.INFO", "$JS.API.STREAM.INFO." + stream, "$JS.API.STREAM.CREATE." + stream,
		"$JS.API.DIRECT.GET." + stream + ".$KV." + bucket + "." + name, "$KV." + bucket + "." + name,
	}, []string{subjects(bucket) + name}
}
