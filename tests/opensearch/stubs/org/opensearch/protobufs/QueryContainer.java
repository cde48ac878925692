package org.opensearch.protobufs;

/** Empty: k-NN 3.5 names it at start, no artifact has it, and no gRPC server runs here. */
public class QueryContainer {
    public enum QueryContainerCase { KNN, HYBRID, NEURAL }
}
